// The tools that ask somebody: a sandbox, a child run, the advisor.

import { execFileSync } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/base/clock.ts";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import type { ChildOutcome, ChildTask } from "../../../../src/service/executor/child-runs.ts";
import { askAdvisorTool } from "../../../../src/service/executor/tools/ask-advisor.ts";
import { delegateTool } from "../../../../src/service/executor/tools/delegate.ts";
import { describeResult, runCommandTool } from "../../../../src/service/executor/tools/run-command.ts";
import { callTool } from "../../../../src/service/executor/tools/tool-call.ts";
import { decodeSandbox } from "../../../../src/service/sandbox/sandbox-config.ts";
import { unsandboxed } from "../../../../src/service/sandbox/unsandboxed.ts";
import { noNetwork } from "../../../support/no-network.ts";
import { folderCheckout } from "./folder-checkout.ts";
import { TaskRecorder } from "./task-recorder.ts";

const signal = new AbortController().signal;
let checkout: Checkout;
beforeEach(async () => {
  checkout = await folderCheckout({ "dir/a": "one\n" });
});
afterEach(() => checkout.close());

function realSandbox() {
  const config = decodeSandbox({ PATH: process.env.PATH }, checkout.root);
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  return unsandboxed({ config: config.value, inherited: [], clock: systemClock });
}

describe("run_command", () => {
  const shell = (isTrusted = true) =>
    runCommandTool({
      sandbox: realSandbox(),
      egress: noNetwork.egress,
      checkout: { gitFolder: null, isTrusted },
      processes: null,
    });
  const run = async (command: string, more: object = {}) =>
    (await shell().run({ command, ...more }, { checkout, signal })).text;

  it("executes a command in the tree, and says how it ended", async () => {
    expect(shell().access).toBe("write");
    expect(await run("cat dir/a; pwd >&2")).toBe(`one\n${await realpath(checkout.root)}\n[exit code 0]`);
    expect(await run("cat a; exit 3", { cwd: "dir" })).toBe("one\n[exit code 3]");
    expect(await run("true")).toBe("[no output]\n[exit code 0]");
    expect(await run("kill -TERM $$")).toBe("[no output]\n[ended by SIGTERM]");
  });

  it("keeps the beginning and the end of much output, and no NUL", async () => {
    const text = await run("echo first; head -c 100000 /dev/zero; echo last");
    expect(text.startsWith("first\n\ufffd")).toBe(true);
    expect(text).toMatch(/bytes cut\]\n.*last\n\[exit code 0\]$/s);
    expect(text).not.toContain("\0");
    expect(text.length).toBeLessThan(31_000);
  });

  it("says that the time was up, with what was written until then", async () => {
    expect(await run("echo begun; sleep 60", { timeout_seconds: 1 })).toMatch(
      /^begun\n\[ended after \d+ s, the time limit: do less at once, or set timeout_seconds \(at most 600\)\]$/,
    );
  });

  it("makes errors of what the sandbox refuses", async () => {
    await expect(run("true", { cwd: "../" })).rejects.toThrow(/\S/);
    const untrusted = shell(false).run({ command: "true" }, { checkout, signal });
    await expect(untrusted).rejects.toThrow("Commands are not executed: this service has no sandbox");
  });

  it.each([[{ command: "" }], [{ command: "a\0b" }], [{ command: "true", timeout_seconds: 601 }], [{}]])(
    "refuses %j",
    async (input) => {
      await expect(shell().run(input, { checkout, signal })).rejects.toThrow(
        "The input of run_command is wrong",
      );
    },
  );

  it("ends with the run", async () => {
    const recorder = new TaskRecorder();
    const task = recorder.task();
    const pipe = join(checkout.root, "pipe");
    execFileSync("mkfifo", [pipe]);
    const input = { command: "echo begun > pipe; sleep 60" };
    const called = callTool({ task, tool: shell(), input, checkout });
    expect(await readFile(pipe, "utf8")).toBe("begun\n");
    recorder.controller.abort(new Error("cancelled"));
    await expect(called).rejects.toThrow("cancelled");
  });

  it.each([
    ["memory", "ended: it used more memory than is allowed"],
    ["processes", "ended: it started more processes than are allowed"],
    ["disk", "ended: its files grew larger than is allowed"],
    ["output", "ended: it wrote more output than is allowed. Write to a file, or less"],
  ] as const)("has words for the limit on %s", (limit, words) => {
    const ended = { exitCode: null, signal: "SIGKILL", truncated: false, timedOut: false, durationMs: 1 };
    expect(describeResult({ ...ended, output: "begun\n", limit, blocked: null })).toBe(`begun\n[${words}]`);
  });
});

describe("delegate", () => {
  const asked: ChildTask[] = [];
  const toolFor = (outcome: ChildOutcome, areFilesShared = false) =>
    delegateTool(
      {
        delegate: async (task) => {
          asked.push(task);
          return outcome;
        },
      },
      { areFilesShared },
    );
  const delegate = (outcome: ChildOutcome) => toolFor(outcome).run({ task: "Look." }, { checkout, signal });

  it("answers with the child's reply", async () => {
    const answer = await delegate({ status: "completed", runId: "run-2", reply: "Seen.", bound: null });
    expect(answer).toEqual({
      value: { runId: "run-2", reply: "Seen.", bound: null },
      text: "Seen.\n[run run-2]",
    });
    expect(asked.at(-1)).toEqual({ message: "Look.", isAlone: true });
    const silent = await delegate({
      status: "completed",
      runId: "run-2",
      reply: "",
      bound: "credits",
    });
    expect(silent.text).toBe("[no reply]\n[run run-2, which stopped before it was done: credits]");
  });

  it("says whether another child works beside it", async () => {
    const outcome = { status: "completed", runId: "run-2", reply: "", bound: null } as const;
    const several = { checkout, signal, callsAtOnce: 2 };
    await toolFor(outcome).run({ task: "Look." }, several);
    expect(asked.at(-1)?.isAlone).toBe(false);
    await toolFor(outcome, true).run({ task: "Look." }, several);
    expect(asked.at(-1)?.isAlone).toBe(true);
  });

  it("says whose files the child works in, and is alone where they are shared", () => {
    const outcome = { status: "completed", runId: "run-2", reply: "", bound: null } as const;
    const apart = toolFor(outcome);
    expect(apart.description).toContain("fresh checkout of its own");
    expect(apart.access).toBe("read");
    const shared = toolFor(outcome, true);
    expect(shared.description).toContain("in these very files");
    expect(shared.description).not.toContain("fresh checkout");
    expect(shared.access).toBe("write");
  });

  it.each([
    [{ status: "failed", runId: "run-2", why: "stalled" }, "The run run-2 failed: stalled"],
    [{ status: "cancelled", runId: "run-2", why: "user_stop" }, "The run run-2 was cancelled: user_stop"],
    [{ status: "refused", why: "Do it here." }, "The task was not handed on. Do it here."],
  ] as const)("says why there is none: %j", async (outcome, words) => {
    await expect(delegate(outcome)).rejects.toThrow(words);
  });
});

describe("ask_advisor", () => {
  it("answers with the advisor's words", async () => {
    const tool = askAdvisorTool(async (question) => (question === "Why?" ? "Because." : ""));
    expect((await tool.run({ question: "Why?" }, { checkout, signal })).text).toBe("Because.");
    expect((await tool.run({ question: "How?" }, { checkout, signal })).text).toBe("[no answer]");
  });
});
