// A service gives its runs' MCP servers to a coding agent in bubblewrap, and its worker is lost in the middle of a call: the next one's
// agent has them again.

import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeServerProgram } from "../../fakes/mcp-server/fake-mcp.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import type { AgentScript, AgentStep } from "../support/acp-agent.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept } from "../support/durable/expect-played.ts";
import { untilKept } from "../support/durable/kept-entries.ts";
import { NODE } from "../support/fixtures/service-process.ts";
import { ACP_AGENT } from "../support/run/acp-agent-setup.ts";
import { dumpPlace } from "../support/service-dump.ts";
import { postgresStore, type StoreKind, sqliteStore } from "../support/stores/stores.ts";

const TOKEN = "sentry-token-0123456789";
const project = resolve(import.meta.dirname, "../..");

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "taken-up-gateway-")));
  program = await writeServerProgram(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const say = (text: string): AgentStep => ({
  do: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
const calls = (...names: readonly string[]): AgentStep => ({
  do: "mcp",
  calls: names.map((name) => ({ name: `mcp__words__${name}`, input: { word: "tree" } })),
});
const initialized = { agentCapabilities: { mcpCapabilities: { http: true } } };

async function write(script: AgentScript): Promise<void> {
  await writeFile(join(folder, "script.json"), JSON.stringify({ initialized, ...script }));
}

function settings(): Readonly<Record<string, string>> {
  const shown = [
    folder,
    ...["src", "test", "node_modules"].map((name) => join(project, name)),
    dirname(NODE),
  ];
  return {
    BACKEND: "acp",
    SANDBOX: "bubblewrap",
    SANDBOX_READ_PATHS: shown.join(":"),
    ACP_COMMAND: JSON.stringify([NODE, ACP_AGENT]),
    ACP_ENV: JSON.stringify({ ACP_SCRIPT: join(folder, "script.json") }),
    ACP_KEEP_SECONDS: "1",
    SENTRY_TOKEN: TOKEN,
    MCP_SERVERS: JSON.stringify({
      words: {
        command: "node",
        args: [program, "well"],
        env: { FAKE_TOKEN: `\${SENTRY_TOKEN}` },
        // By its whole name: the operator's word on a tool that writes.
        tools: ["lookup", "whoami", "note.down", "hang"],
      },
    }),
  };
}

async function playLost(store: StoreKind): Promise<void> {
  await write({ turn: [calls("lookup", "note_down"), say("Part one."), calls("hang"), say("Never.")] });
  const service = await DurableService.start({ store, settings: settings() });
  try {
    const { run_id: runId } = submitRunResponseSchema.parse(
      (await service.job.submit({ message: "Look it up." })).body,
    );
    const begun = async () => JSON.stringify((await service.job.page(runId)).events);
    await expect.poll(begun, { timeout: 60_000 }).toContain("mcp__words__hang");
    await untilKept(service, runId);
    await service.node().process.kill();
    await write({ turn: [calls("lookup", "whoami"), say("Part two.")] });
    await service.startAgain();
    const played = await expectCompleted(service, runId);
    const names = played.events.flatMap((event) =>
      event.type === "TOOL_CALL_START" ? [event.toolCallName.replace("mcp__words__", "")] : [],
    );
    expect(names).toEqual([
      "mcp_servers",
      ...["lookup", "note_down", "hang"],
      "mcp_servers",
      ...["lookup", "whoami"],
    ]);
    const results = played.events.flatMap((event) =>
      event.type === "TOOL_CALL_RESULT" ? [event.content.split("\n").at(-1)] : [],
    );
    expect(results).toEqual([
      "words: 4 tools",
      ...["tree means TREE", "noted tree"],
      "words: 4 tools",
      ...["tree means TREE", "the token is ***"],
    ]);
    for (const text of [JSON.stringify(played), await dumpPlace(service.place)]) {
      expect(text.includes(TOKEN)).toBe(false);
      expect(text.includes("svc_tools_")).toBe(false);
    }
    await expectNothingKept(service);
    expect(await service.leftFiles()).toEqual([]);
    expect(await service.leftProcesses()).toEqual([]);
  } finally {
    await service.close();
  }
}

describe("the MCP servers of a coding agent whose worker is killed", { tags: ["sandbox"] }, () => {
  it("are there again for the next one's agent", async () => await playLost(sqliteStore));

  it("are there again with PostgreSQL", { tags: ["postgres"] }, async () => await playLost(postgresStore));
});
