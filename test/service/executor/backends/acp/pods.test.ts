// Runs of the acp backend whose agents work in pods of the fake cluster, with the proxy of their model in front of a fake model.

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { FakeCluster } from "../../../../../fakes/kubernetes/cluster.ts";
import { type ModelServer, startModelServer } from "../../../../../fakes/model-server/model-server.ts";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import { answer, say } from "../../../../../fakes/model-server/turn.ts";
import { systemClock } from "../../../../../src/base/clock.ts";
import { systemRandom } from "../../../../../src/base/ids.ts";
import { RunStopped } from "../../../../../src/service/executor/stop-reason.ts";
import type { Tool } from "../../../../../src/service/executor/tools/tool.ts";
import {
  type KubernetesSandbox,
  kubernetesSandbox,
} from "../../../../../src/service/sandbox/kubernetes/kubernetes-sandbox.ts";
import { GATEWAY_PORT, MODEL_PORT } from "../../../../../src/service/sandbox/relay.ts";
import type { AgentStep } from "../../../../support/acp-agent.ts";
import { type AcpFixtureOptions, closeFixtures, runAgent } from "../../../../support/fixtures/acp-fixture.ts";
import { ACP_AGENT } from "../../../../support/run/acp-agent-setup.ts";
import { SandboxFixture, until } from "../../../sandbox/sandbox-fixture.ts";

const KEY = "sk-the-operators-own-key-0123456789";
const CLAIM = "run-01abcdef";
const said = (words: string): AgentStep => ({
  do: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } },
});

let cluster: FakeCluster;
let files: SandboxFixture;
let model: ModelServer;
let sandbox: KubernetesSandbox;
let stopped: AbortController;
let leave: () => Promise<void>;
beforeEach(async () => {
  cluster = await FakeCluster.start({ pods: "bubblewrap", image: [dirname(ACP_AGENT)] });
  files = new SandboxFixture();
  model = await startModelServer({ script: everyTime(() => answer([say("Good day.")])), apiKey: KEY });
  const config = files.config({
    environment: { ...cluster.environment, SANDBOX_KUBERNETES_WAIT_SECONDS: "5" },
  });
  if (config.kubernetes === null) throw new Error("Another sandbox was chosen.");
  const tools = { clock: systemClock, random: systemRandom, log: files.log };
  sandbox = await kubernetesSandbox({ config, cluster: config.kubernetes, ...tools });
  stopped = new AbortController();
});
afterEach(async () => {
  await leave();
  await model.close();
  await files.close();
  await cluster.close();
});
afterAll(closeFixtures);

async function runInPod({ settings, task, ...options }: AcpFixtureOptions) {
  const inPod = "/workspace/tree/.acp-fixture";
  return await runAgent({
    ...options,
    prepare: async (root) => {
      const lose = () => stopped.abort(new RunStopped("sandbox_lost"));
      leave = sandbox.places.enter({ runId: "01ABCDEF", root, onLost: lose });
      await options.prepare?.(root);
    },
    task: { signal: stopped.signal, ...task },
    settings: {
      command: ["node", ACP_AGENT],
      places: sandbox.agents,
      homeFiles: {},
      asksForFiles: false,
      relayPort: MODEL_PORT,
      model: { wire: "anthropic", baseUrl: model.baseUrl, apiKey: KEY },
      ...settings,
      environment: {
        ACP_HEARD: `${inPod}/heard`,
        ACP_SCRIPT: `${inPod}/script.json`,
        AGENT_MODEL_URL: "{model_url}",
        AGENT_MODEL_KEY: "{model_key}",
        ...settings?.environment,
      },
    },
  });
}

const prompted = { messages: [{ role: "user", content: "Hello" }] };

describe("a coding agent in a pod", { tags: ["sandbox"] }, () => {
  it("edits, executes, asks for permission and reaches its model alone, with no secret but its run's token", async () => {
    const {
      outcome,
      heard,
      answer: heardOf,
      checkout,
      events,
    } = await runInPod({
      files: { "a.txt": "one\n" },
      turn: [
        { do: "execute", command: "cat a.txt; echo two > a.txt; env" },
        {
          do: "ask",
          toolCall: {
            toolCallId: "call-1",
            title: "make test",
            kind: "execute",
            rawInput: { command: "make test" },
          },
          offered: ["allow_once", "reject_once"],
        },
        { do: "request", path: "/v1/messages", body: { model: "m", max_tokens: 9, ...prompted } },
        { do: "read", path: "/workspace/tree/a.txt" },
        said("Edited /workspace/tree/a.txt."),
      ],
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(heardOf("permission")).toEqual({ outcome: { outcome: "selected", optionId: "id-allow_once" } });
    expect(heardOf("session/new")).toMatchObject({ cwd: "/workspace/tree" });
    expect(heardOf("answer")).toMatchObject({ status: 200, text: expect.stringContaining("Good day.") });
    // It is offered no file system: paths of its pod are none of this machine.
    expect(heardOf("initialize")).toMatchObject({ clientCapabilities: { fs: { readTextFile: false } } });
    expect(heardOf("read")).toMatchObject({ error: expect.stringContaining("offers you no file system") });
    expect(await readFile(join(checkout.root, "a.txt"), "utf8")).toBe("two\n");
    expect(JSON.stringify(events)).toContain("make test");
    const token = String(heardOf("executed")).match(/AGENT_MODEL_KEY=(.*)/)?.[1] ?? "";
    expect(token).toContain("svc_model_");
    const kept = JSON.stringify([cluster.claims.values, cluster.seen, cluster.commands]);
    const disk = (await cluster.podOf(CLAIM).onDisk()).replaceAll(token, "");
    for (const secret of [KEY, cluster.token])
      expect(kept + disk + JSON.stringify(heard)).not.toContain(secret);
    expect(kept).not.toContain(token);
  });

  it("that is cancelled ends with what it started, and what it had changed is shown", async () => {
    const running = runInPod({
      turn: [
        { do: "execute", command: "echo half > made.txt; (setsid sleep 1000 > /dev/null 2>&1 &) ; echo" },
        said("x"),
        { do: "wait" },
      ],
      task: {
        emit: async ({ type }) => {
          if (type === "TEXT_MESSAGE_CONTENT") stopped.abort(new RunStopped("cancel"));
        },
      },
    });
    const { outcome, checkout, heard } = await running;
    expect(outcome).toEqual({ stopped: expect.objectContaining({ kind: "cancel" }) });
    expect(heard.map(({ what }) => what)).toContain("session/cancel");
    expect(await readFile(join(checkout.root, "made.txt"), "utf8")).toBe("half\n");
    const seen = await sandbox.run(
      { root: checkout.root, gitFolder: null, isTrusted: false },
      {
        execute: { shell: "cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '" },
        cwd: "",
        env: {},
        egressSocket: null,
        timeoutMs: 60_000,
        maxOutputBytes: 100_000,
        signal: AbortSignal.timeout(60_000),
      },
    );
    if (!seen.ok) throw new Error(seen.refusal.detail);
    expect(seen.value.output).not.toContain("sleep 1000");
  });

  it.each([true, false])("has the run's tools by the gateway, with HTTP: %s", async (http) => {
    const tool: Tool<null> = {
      name: "mcp__words__lookup",
      description: "Looks a word up.",
      input: z.record(z.string(), z.unknown()),
      jsonSchema: { type: "object" },
      run: async () => ({ value: null, text: "tree means TREE" }),
    };
    const { outcome, answer: heardOf } = await runInPod({
      script: { initialized: { agentCapabilities: { mcpCapabilities: { http } } } },
      settings: {
        openServers: async () => ({ tools: [tool], text: "words: 1 tool", close: async () => {} }),
        gateway: { port: GATEWAY_PORT, node: "node" },
      },
      turn: [{ do: "mcp", calls: [{ name: tool.name }] }, said("Looked up.")],
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(heardOf("mcp")).toMatchObject({ results: [{ text: "tree means TREE", isError: false }] });
  });

  it("whose connection is cut is started again with what is known of its work", async () => {
    const running = runInPod({
      turn: [
        said("I begin."),
        // Answered, even with an error, it was read behind what was said.
        { do: "read", path: "/workspace/tree/begun" },
        { do: "execute", command: "if [ -e begun ]; then cat begun; else echo half > begun; sleep 1000; fi" },
        said("I end."),
      ],
    });
    await until(async () => cluster.claims.values.length > 0);
    const { folder } = cluster.podOf(CLAIM);
    await until(async () => (await readFile(join(folder, "tree/begun"), "utf8").catch(() => "")) !== "");
    cluster.cutConnections();
    const { outcome, heard, checkout, events } = await running;
    expect(outcome).toEqual({ stopReason: "end_turn" });
    const prompts = heard.filter(({ what }) => what === "session/prompt");
    expect(prompts).toHaveLength(2);
    expect(JSON.stringify(prompts[1])).toMatch(/You have worked on this before.*You said: I begin\./);
    expect(heard.find(({ what }) => what === "executed")?.value).toBe("half\n");
    expect(await readFile(join(checkout.root, "begun"), "utf8")).toBe("half\n");
    expect(JSON.stringify(events)).toContain(
      "was cut: it was started again, and goes on with what it has left.",
    );
  });

  it("whose connection is cut again and again ends its run", async () => {
    let cuts = 0;
    const { outcome } = await runInPod({
      turn: [said("x"), { do: "hang" }],
      task: {
        emit: async ({ type }) => {
          if (type !== "TEXT_MESSAGE_CONTENT") return;
          cuts += 1;
          setImmediate(() => cluster.cutConnections());
        },
      },
    });
    expect(outcome).toEqual({ failed: expect.stringContaining("again and again"), isRetryable: true });
    expect(cuts).toBe(5);
  });

  it("whose pod is evicted leaves its run to another worker", async () => {
    const { outcome } = await runInPod({
      turn: [said("x"), { do: "hang" }],
      task: {
        emit: async ({ type }) => {
          if (type === "TEXT_MESSAGE_CONTENT") void cluster.evict(CLAIM);
        },
      },
    });
    expect(outcome).toEqual({ stopped: expect.objectContaining({ kind: "sandbox_lost" }) });
  });

  it("that is not in the image fails its run, and says where it is missing", async () => {
    const { outcome } = await runInPod({ settings: { command: ["no-such-agent"] } });
    expect(outcome).toMatchObject({
      failed: expect.stringContaining("could not be started (ENOENT in the pod)"),
    });
  });

  it("for which there is no pod fails its run, and says why", async () => {
    cluster.quota = 0;
    const { outcome } = await runInPod({});
    expect(outcome).toMatchObject({
      failed: expect.stringMatching(/could not be started: No pod of the pool agent-pods/),
      isRetryable: true,
    });
  });
});
