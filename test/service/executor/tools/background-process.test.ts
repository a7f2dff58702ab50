// Commands in the background: started, read, stopped and listed by the tools, over real processes.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../../../src/base/clock.ts";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import {
  BackgroundProcesses,
  MAX_PROCESSES,
} from "../../../../src/service/executor/processes/background-processes.ts";
import { UnreadOutput } from "../../../../src/service/executor/processes/unread-output.ts";
import { backgroundProcessTool } from "../../../../src/service/executor/tools/background-process.ts";
import { executedCommand, runCommandTool } from "../../../../src/service/executor/tools/run-command.ts";
import { withEndedProcesses } from "../../../../src/service/executor/tools/with-ended-processes.ts";
import { decodeSandbox } from "../../../../src/service/sandbox/sandbox-config.ts";
import { unsandboxed } from "../../../../src/service/sandbox/unsandboxed.ts";
import { noNetwork } from "../../../support/no-network.ts";
import { folderCheckout } from "./folder-checkout.ts";

let checkout: Checkout;
let run: AbortController;
let processes: BackgroundProcesses;
beforeEach(async () => {
  checkout = await folderCheckout({ "dir/a": "one\n" });
  run = new AbortController();
  processes = processesOf(true);
});
afterEach(async () => {
  await processes.close();
  await checkout.close();
});

function sandboxOf() {
  const config = decodeSandbox({ PATH: process.env.PATH }, checkout.root);
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  return unsandboxed({ config: config.value, inherited: [], clock: systemClock });
}

/** Wakes nobody: what is waited for has to come. */
const patientClock: Clock = {
  ...systemClock,
  sleep: (_ms, signal) =>
    new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
};

function processesOf(isTrusted: boolean, clock = systemClock) {
  return new BackgroundProcesses({
    sandbox: sandboxOf(),
    egress: noNetwork.egress,
    checkout: { root: checkout.root, gitFolder: null, isTrusted },
    runId: "run-1",
    signal: run.signal,
    leftMs: () => 60_000,
    clock,
  });
}

const context = (call?: string) => ({
  checkout,
  signal: run.signal,
  ...(call === undefined ? {} : { call }),
});
const shell = (isTrusted = true) =>
  runCommandTool({
    sandbox: sandboxOf(),
    egress: noNetwork.egress,
    checkout: { gitFolder: null, isTrusted },
    processes,
  });
const start = async (command: string, call?: string) =>
  (await shell().run({ command, run_in_background: true }, context(call))).text;
/** Started, and what it has written by the time that the text is there. */
const startUntil = async (text: string, command: string, call: string) => {
  let said = await start(command, call);
  while (!said.includes(text)) said += await ask({ id: `p${call}`, wait_seconds: 60 });
  return said;
};
const ask = async (input: object) => (await backgroundProcessTool(processes).run(input, context())).text;

/** A process that has ended, and waits for its parent, has no environment any more. */
const isAlive = async (id: number) => (await readFile(`/proc/${id}/environ`, "utf8").catch(() => "")) !== "";

describe("a command in the background", () => {
  it("is named by the call that starts it, read as it goes on, and stopped with all that it started", async () => {
    const command =
      "sleep 300 & echo $! > child; echo begun; while [ ! -e go ]; do sleep 0.05; done; echo gone; wait";
    expect(await startUntil("begun", command, "3.0")).toContain("[the background process p3.0 is running]");
    expect(await ask({ id: "p3.0" })).toBe("[no new output]\n[the background process p3.0 is running]");

    expect((await shell().run({ command: "touch go" }, context())).text).toContain("exit code 0");
    expect(await ask({ id: "p3.0", wait_seconds: 60 })).toBe(
      "gone\n[the background process p3.0 is running]",
    );
    const child = Number(await readFile(join(checkout.root, "child"), "utf8"));
    expect(await isAlive(child)).toBe(true);

    expect(await ask({ id: "p3.0", stop: true })).toBe(
      "[no new output]\n[the background process p3.0 was stopped]",
    );
    expect(await isAlive(child)).toBe(false);
    expect(await ask({})).toBe(`the background process p3.0 was stopped: ${JSON.stringify(command)}`);
  });

  it("that ends at once is told of by the call", async () => {
    processes = processesOf(true, patientClock);
    expect(await start("echo in use >&2; exit 98", "1.0")).toBe(
      "in use\n[the background process p1.0 has ended, exit code 98]",
    );
    expect(processes.takeEnded()).toEqual([]);
  });

  it("that ends later is told of once, with the next result of any tool", async () => {
    await start("while [ ! -e go ]; do sleep 0.05; done; echo why; exit 7", "1.0");
    const told = withEndedProcesses(shell(), processes);
    await shell().run({ command: "touch go" }, context());
    while (processes.running.length > 0) await shell().run({ command: "sleep 0.05" }, context());

    const next = (await told.run({ command: "true" }, context())).text;

    expect(next).toMatch(
      /^\[meanwhile, the background process p1\.0 has ended, exit code 7: .*\nwhy\]\n\n\[no output\]\n\[exit code 0\]$/s,
    );
    expect((await told.run({ command: "true" }, context())).text).toBe("[no output]\n[exit code 0]");
  });

  it(`is refused where ${MAX_PROCESSES} are running, and where commands are`, async () => {
    for (let count = 0; count < MAX_PROCESSES; count += 1) await start("sleep 300", `1.${count}`);
    await expect(start("sleep 300", "2.0")).rejects.toThrow(
      "4 commands are in the background, and no more may be: stop one of p1.0, p1.1, p1.2, p1.3 first.",
    );
    await processes.stop("p1.2");
    expect(await start("sleep 300", "2.0")).toContain("p2.0 is running");
    await processes.close();
    processes = processesOf(false);
    await expect(start("true")).rejects.toThrow("Commands are not executed: this service has no sandbox");
    expect(processes.running).toEqual([]);
  });

  it("ends with the run", async () => {
    await startUntil("begun", "sleep 300 & echo $! > child; echo begun; wait", "1.0");
    const child = Number(await readFile(join(checkout.root, "child"), "utf8"));
    run.abort(new Error("cancelled"));
    await processes.close();
    expect(await isAlive(child)).toBe(false);
    expect(processes.running).toEqual([]);
  });

  it("is no check, whatever it executes", async () => {
    const input = { command: "npm test", run_in_background: true };
    const { value } = await shell().run(input, context("1.0"));
    expect(executedCommand(input, value)).toEqual({ command: "npm test", isBackground: true });
  });
});

describe("background_process", () => {
  it("names what there is where it is asked for another one", async () => {
    await expect(ask({ id: "p9.9" })).rejects.toThrow(
      'There is no background process "p9.9". Nothing was started in the background.',
    );
    await start("sleep 300", "1.0");
    await expect(ask({ id: "p9.9", stop: true })).rejects.toThrow("There are: p1.0.");
    await expect(ask({ stop: true })).rejects.toThrow("Say which to stop: id. There are: p1.0.");
  });

  it("says that there is none", async () => {
    expect(await ask({})).toBe("[nothing is in the background]");
  });
});

describe("output that is not read", () => {
  it("is kept from its end, and says what is missing", () => {
    const unread = new UnreadOutput(10);
    unread.add(Buffer.from("é").subarray(0, 1));
    expect(unread.isEmpty).toBe(true);
    unread.add(Buffer.from("é").subarray(1));
    for (let count = 0; count < 10; count += 1) unread.add(Buffer.from(`line ${count}\n`));
    expect(unread.take()).toBe("[61 characters before this cut]\n 8\nline 9\n");
    expect(unread.take()).toBe("");
    unread.add(Buffer.from("a"));
    expect(unread.take()).toBe("a");
  });
});
