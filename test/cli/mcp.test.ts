// agent-service mcp: the built command between a client that starts programs and the service's /mcp.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantCredits } from "../../src/service/core/accounts/keys.ts";
import { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { checkRefusals, withOutputSchemas } from "../support/mcp/every-tool.ts";
import { textOf, type Wire, wires } from "../support/mcp/mcp-client.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../support/service-api.ts";

const COMMAND = join(fileURLToPath(new URL(".", import.meta.url)), "../../npm/cli.mjs");

/** Ends the run of a test. A client drops the notes that come together with the result. */
let noteHeard = Promise.withResolvers<void>();

const backend = scriptedBackend(async (task) => {
  if (task.messages.at(-1)?.content === "wait") return await untilStopped(task);
  await noteHeard.promise;
  await say(task, "Done.");
});

describe("agent-service mcp", () => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;

  beforeAll(async () => {
    fixture = await CoreFixture.start({ backend });
    fixture.executor.start();
    api = await openHttpApi(fixture);
    account = await makeAccount(fixture, "subscribed");
    await grantCredits(fixture.core, { accountId: account.id, credits: 100_000 });
  });

  afterAll(() => api.close());

  const open = async ({
    wire,
    key = account.owner,
    url = api.url,
    flags = [],
  }: {
    wire: Wire;
    key?: string;
    url?: string;
    flags?: readonly string[];
  }) => {
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: wire === "2026-07-28" ? { pin: wire } : "legacy" } },
    );
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [COMMAND, "mcp", "--url", url, ...flags],
      env: { PATH: process.env.PATH ?? "", AGENT_SERVICE_KEY: key },
    });
    await client.connect(transport);
    withOutputSchemas(transport);
    return client;
  };

  it.each(wires)("passes calls, their progress and their results on, on %s", async (wire) => {
    noteHeard = Promise.withResolvers();
    const client = await open({ wire });
    try {
      const notes: string[] = [];
      const onprogress = ({ message = "" }): void => {
        notes.push(message);
        noteHeard.resolve();
      };
      const answer = await client.callTool(
        { name: "invoke_agent", arguments: { agent: "helper", message: "go" } },
        { onprogress },
      );
      expect(answer.structuredContent, textOf(answer)).toMatchObject({ reply: "Done." });
      expect(notes[0]).toMatch(/^Run /);
      const made = await client.callTool({
        name: "create_schedule",
        arguments: { agent: "helper", prompt: "later", delay_seconds: 60 },
      });
      expect(made.structuredContent).toMatchObject({ status: "awaiting_confirmation" });
    } finally {
      await client.close();
    }
  });

  it("ends a wait that its client has cancelled, and goes on with the next call", async () => {
    const client = await open({ wire: "2026-07-28" });
    try {
      const stop = new AbortController();
      const waiting = client.callTool(
        { name: "invoke_agent", arguments: { agent: "helper", message: "wait" } },
        { signal: stop.signal, onprogress: () => stop.abort() },
      );
      await expect(waiting).rejects.toThrow();
      const answer = await client.callTool({ name: "list_runs", arguments: { agent: "helper" } });
      expect(answer.structuredContent).toMatchObject({ runs: expect.any(Array) });
    } finally {
      await client.close();
    }
  });

  it("lists the sets that it is told, and passes refusals on as they can be read", async () => {
    const client = await open({ wire: "2026-07-28", flags: ["--sets", "all"] });
    try {
      await checkRefusals(client);
    } finally {
      await client.close();
    }
    const wrong = open({ wire: "2025-11-25", flags: ["--sets", "workspace"] });
    await expect(wrong).rejects.toThrow(/Did you mean "workspaces"/);
  });

  it("says why a service does not answer", async () => {
    await expect(open({ wire: "2025-11-25", key: `svc_sk_${"x".repeat(49)}` })).rejects.toThrow(/credential/);
    await expect(open({ wire: "2025-11-25", url: "http://127.0.0.1:1" })).rejects.toThrow(/was not reached/);
  });
});
