import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { pipedProcess } from "../../../../../src/base/piped-process.ts";
import { StreamLimitError } from "../../../../../src/service/executor/event-writer.ts";
import { RunStopped, type StopKind } from "../../../../../src/service/executor/stop-reason.ts";
import type { AgentScript, AgentStep } from "../../../../support/acp-agent.ts";
import {
  type AcpFixtureOptions,
  closeFixtures,
  isAlive,
  runAgent,
} from "../../../../support/fixtures/acp-fixture.ts";

afterAll(closeFixtures);

const text = (said: string): AgentStep => ({
  do: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: said } },
});

async function failureOf(options: AcpFixtureOptions) {
  const { outcome, recorder } = await runAgent(options);
  expect(recorder.faults()).toEqual([]);
  return outcome;
}

describe("an agent that fails", () => {
  it("is named where it cannot be started", async () => {
    expect(await failureOf({ settings: { command: ["/nowhere/agent-x"] } })).toEqual({
      failed:
        'The agent "agent-x" could not be started (ENOENT). Its operator must install it, or set ACP_COMMAND.',
      isRetryable: false,
    });
  });

  it.each<[string, AgentScript, RegExp, boolean]>([
    [
      "ends before it answers",
      { turn: [text("half"), { do: "complain", text: "first\nout of memory\n" }, { do: "exit", code: 3 }] },
      /^The agent "node" ended before it had answered, with exit code 3\. Run it again\. Its last line of errors: "out of memory"\.$/,
      true,
    ],
    ["ends at its start", { start: [{ do: "exit", code: 0 }] }, /with exit code 0/, true],
    [
      "writes what is no message",
      { start: [{ do: "print", text: "Welcome \u001b[1mto me!\n" }] },
      /^The agent "node" wrote "Welcome to me!" where ACP wants JSON-RPC\. Is ACP_COMMAND its ACP mode\?$/,
      false,
    ],
    ["writes JSON of another form", { turn: [{ do: "print", text: "[1]\n" }] }, /wrote "\[1\]" where/, false],
    [
      "writes a line without an end",
      { turn: [{ do: "print", text: "x".repeat(1024 * 1024), times: 17 }, { do: "hang" }] },
      /wrote a line of more than 16777216 bytes/,
      false,
    ],
    [
      "answers with an error",
      { turn: [{ do: "fail", code: -32603, message: "429 from the model" }] },
      /^The agent "node" answered session\/prompt with an error: "429 from the model \(-32603\)"\.$/,
      true,
    ],
    [
      "wants a login",
      { wantsLogin: true, initialized: { authMethods: [{ id: "api-key", name: "Key" }] } },
      /wants a login\. Its operator must put its key into ACP_ENV\. It knows api-key \(ACP_AUTH_METHOD\)\.$/,
      false,
    ],
    ["speaks another version", { initialized: { protocolVersion: 7 } }, /speaks version 7 of ACP/, false],
    [
      "answers out of form",
      { turn: [{ do: "stop", answer: { stopReason: 5 } }] },
      /answered session\/prompt with something that is not of ACP's form/,
      false,
    ],
  ])("is a failed run where it %s", async (_case, script, message, isRetryable) => {
    expect(await failureOf({ script })).toEqual({ failed: expect.stringMatching(message), isRetryable });
  });

  it("is a failed run where its environment is more than the system takes", async () => {
    const outcome = await failureOf({ settings: { environment: { HUGE: "x".repeat(1024 * 1024) } } });
    expect(outcome).toMatchObject({ failed: expect.stringContaining("could not be started (E2BIG)") });
  });

  it("is a failed run where it does not come to a session", async () => {
    const outcome = await failureOf({
      script: { start: [{ do: "hang" }] },
      settings: { startTimeoutMs: 300 },
    });
    expect(outcome).toEqual({
      failed: 'The agent "node" did not open a session within 0.3 s. Run it again.',
      isRetryable: true,
    });
  });

  it("is a failed run where it falls silent", async () => {
    const outcome = await failureOf({ turn: [text("x"), { do: "hang" }], settings: { idleTimeoutMs: 300 } });
    expect(outcome).toMatchObject({ failed: expect.stringContaining("said nothing for 0.3 s") });
  });

  it("tells no secret in what it complains of", async () => {
    const outcome = await failureOf({
      settings: { environment: { MODEL_API_KEY: "sk-very-secret" } },
      turn: [
        { do: "complain", text: "bad key sk-very-secret\n" },
        { do: "exit", code: 1 },
      ],
    });
    expect(outcome).toMatchObject({ failed: expect.stringContaining('"bad key ***"') });
  });
});

describe("an agent's process", () => {
  it("has the checkout, a home of its own, and nothing of the service's environment", async () => {
    const { answer, checkout } = await runAgent({ turn: [text("x")] });
    const { cwd, env } = answer("started") as { cwd: string; env: Record<string, string> };
    expect(cwd).toBe(checkout.root);
    expect(Object.keys(env).sort()).toEqual(["ACP_HEARD", "ACP_SCRIPT", "HOME", "LANG", "PATH", "TERM"]);
    expect(existsSync(env.HOME ?? "")).toBe(false);
  });

  it("is started as the sandbox says", async () => {
    const { answer } = await runAgent({
      turn: [text("x")],
      settings: {
        confine: async ({ argv: [program, ...args], path, home, checkout, environment }) => ({
          ...pipedProcess(
            spawn(program, args, {
              cwd: checkout,
              env: { ...environment, PATH: path, HOME: home, IN: `${home}:${checkout}` },
              detached: true,
            }),
          ),
          watch: async () => null,
          files: null,
        }),
      },
    });
    const { env, cwd } = answer("started") as { cwd: string; env: Record<string, string> };
    expect(env.IN).toBe(`${env.HOME}:${cwd}`);
  });

  it("logs in the way that its operator says", async () => {
    const { answer, outcome } = await runAgent({
      script: { wantsLogin: true },
      settings: { authMethod: "api-key" },
      turn: [text("x")],
    });
    expect(answer("authenticate")).toEqual({ methodId: "api-key" });
    expect(outcome).toEqual({ stopReason: "end_turn" });
  });

  it("works in the mode that its operator says", async () => {
    const modes = async (mode: string | null) => {
      const { answer } = await runAgent({
        script: { mode: "auto" },
        settings: { mode },
        turn: [text("x")],
      });
      return answer("session/set_mode");
    };
    expect(await modes("default")).toMatchObject({ modeId: "default" });
    expect(await modes("auto")).toBeUndefined();
    expect(await modes(null)).toBeUndefined();
  });

  it.each([true, false])("takes along what it left behind, in a group of its own: %s", async (detached) => {
    const { answer } = await runAgent({ turn: [{ do: "leave", detached }, text("x")] });
    await expect.poll(() => isAlive(answer("left"))).toBe(false);
    const { pid } = answer("started") as { pid: number };
    expect(await isAlive(pid)).toBe(false);
  });
});

describe("a run that is stopped", () => {
  /** Stops the run at its first word; returns what the agent heard. */
  async function stop(kind: StopKind, options: AcpFixtureOptions) {
    const controller = new AbortController();
    const reason = new RunStopped(kind);
    const emitted: unknown[] = [];
    const run = await runAgent({
      ...options,
      task: {
        signal: controller.signal,
        emit: async (event) => {
          controller.signal.throwIfAborted();
          emitted.push(event);
          if (event.type === "TEXT_MESSAGE_CONTENT") controller.abort(reason);
        },
      },
    });
    expect(run.outcome).toEqual({ stopped: reason });
    const { pid } = run.answer("started") as { pid: number };
    expect(await isAlive(pid)).toBe(false);
    return run;
  }

  it("asks its agent to cancel, and gives it time to", async () => {
    const { heard } = await stop("cancel", { turn: [text("x"), { do: "wait" }] });
    expect(heard.map(({ what }) => what)).toContain("session/cancel");
  });

  it("ends an agent that does not listen, and its children", async () => {
    const { heard, answer } = await stop("time_limit", {
      script: { isDeaf: true },
      turn: [{ do: "leave", detached: true }, text("x"), { do: "hang" }],
      settings: { stopGraceMs: 300 },
    });
    expect(heard.map(({ what }) => what)).toEqual(expect.arrayContaining(["session/cancel", "SIGTERM"]));
    await expect.poll(() => isAlive(answer("left"))).toBe(false);
  });

  it.each<StopKind>(["shutdown", "lost"])("ends its agent at once: %s", async (kind) => {
    const { heard } = await stop(kind, {
      turn: [text("x"), { do: "wait" }],
      settings: { stopGraceMs: 600_000 },
    });
    expect(heard.map(({ what }) => what)).not.toContain("session/cancel");
  });

  it("starts no agent where it was stopped before", async () => {
    const signal = AbortSignal.abort(new RunStopped("cancel"));
    const { heard, outcome } = await runAgent({ task: { signal } });
    expect(outcome).toEqual({ stopped: signal.reason });
    expect(heard).toEqual([]);
  });

  it("is stopped by a stream that is full, too", async () => {
    const full = new StreamLimitError("full");
    const { outcome, answer } = await runAgent({
      turn: [text("x"), { do: "wait" }],
      task: {
        emit: async () => {
          throw full;
        },
      },
    });
    expect(outcome).toEqual({ stopped: full });
    expect(answer("session/cancel")).toBeNull();
  });
});
