// What MCP clients read by an address, the prompts, and what completes their arguments.

import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedRunEventSchema } from "../../../../src/contract/runs/run-event.ts";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { openMcpClient, wires } from "../../../support/mcp/mcp-client.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";

const PATCH = "diff --git a/a.txt b/a.txt\n";

const backend = scriptedBackend(async (task) => {
  await say(task, "Changed <b>one</b> file.");
  const files = [{ path: "a.txt", status: "modified" as const, additions: 1, deletions: 0 }];
  const value = { base_sha: "a".repeat(40), files, patch: PATCH };
  await task.emit({ type: "CUSTOM", name: "repository.changes", value });
});

describe.each(wires)("resources on %s", (wire) => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;
  let client: Client;
  let runId: string;

  beforeAll(async () => {
    fixture = await CoreFixture.start({ backend });
    fixture.executor.start();
    api = await openHttpApi(fixture);
    account = await makeAccount(fixture, "subscribed");
    await grantCredits(fixture.core, { accountId: account.id, credits: 100_000 });
    client = await openMcpClient(api.url, { bearer: account.owner, wire });
    const answer = await client.callTool({
      name: "invoke_agent",
      arguments: { agent: "helper", message: "go" },
    });
    runId = (answer.structuredContent as { run: { id: string } }).run.id;
    expect(answer.structuredContent).toMatchObject({ changes: { patch_uri: `run://${runId}/patch` } });
  });

  afterAll(async () => {
    await client.close();
    await api.close();
  });

  const read = async (uri: string) => {
    const { contents } = await client.readResource({ uri });
    const [content] = contents;
    return content !== undefined && "text" in content ? content.text : "";
  };

  it("list the latest runs, and name the rest by templates", async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([`run://${runId}`]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "run://{run_id}",
      "run://{run_id}/patch",
      "run://{run_id}/events{?after}",
      "agent://{agent_id}",
    ]);
  });

  it("give a run as a report that is inert, its patch and its events", async () => {
    const report = await read(`run://${runId}`);
    expect(report).toMatch(/^# ✅ /);
    expect(report).toContain("&lt;b>one");
    expect(report).toContain("a.txt");
    expect(await read(`run://${runId}/patch`)).toBe(PATCH);
    const lines = (await read(`run://${runId}/events`)).trimEnd().split("\n");
    const events = lines.map((line) => storedRunEventSchema.parse(JSON.parse(line)));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.event.type).toBe("RUN_FINISHED");
    const rest = (await read(`run://${runId}/events?after=${events.length - 1}`)).trimEnd().split("\n");
    expect(rest).toEqual(lines.slice(-1));
  });

  it("give an agent with its config", async () => {
    expect(JSON.parse(await read(`agent://${account.agent.id}`))).toMatchObject({
      name: "helper",
      config: {},
    });
  });

  it("are not found where they are another account's, or none at all", async () => {
    const other = await makeAccount(fixture);
    const stranger = await openMcpClient(api.url, { bearer: other.owner, wire });
    const foreign = [`run://${runId}`, `run://${runId}/patch`, `agent://${account.agent.id}`];
    for (const uri of [...foreign, "run://nobody", "file:///etc/passwd", `run://${runId}/../x`]) {
      await expect(stranger.readResource({ uri }), uri).rejects.toMatchObject({ code: -32602 });
    }
    expect((await stranger.listResources()).resources).toEqual([]);
    await stranger.close();
  });

  it("have prompts that name the tool to call, with completed names of agents", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("fix_failing_tests");
    const args = { agent: "helper", failure: "cart.test.ts" };
    const { messages } = await client.getPrompt({ name: "fix_failing_tests", arguments: args });
    expect(messages[0]?.content).toMatchObject({
      text: expect.stringMatching(/invoke_agent[\s\S]*cart\.test\.ts/),
    });
    await expect(client.getPrompt({ name: "fix_failing_tests", arguments: {} })).rejects.toThrow();
    await expect(client.getPrompt({ name: "fix", arguments: args })).rejects.toThrow(
      "There is no prompt fix.",
    );
    for (const { name, arguments: takes = [] } of prompts) {
      const given = Object.fromEntries(takes.map((one) => [one.name, `the ${one.name} of ${name}`]));
      const asked = await client.getPrompt({ name, arguments: given });
      for (const value of Object.values(given)) expect(JSON.stringify(asked.messages)).toContain(value);
    }
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "fix_failing_tests" },
      argument: { name: "agent", value: "he" },
    });
    expect(completion.values).toEqual(["helper"]);
  });
});
