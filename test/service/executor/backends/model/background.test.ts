// A model that starts a command in the background: it is told of its end, its output is no check, and nothing outlives the run.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Script } from "../../../../../fakes/model-server/script.ts";
import { call, type Step, say } from "../../../../../fakes/model-server/turn.ts";
import { systemClock } from "../../../../../src/base/clock.ts";
import type { Checkout } from "../../../../../src/service/core/checkouts/checkout.ts";
import { readingToolbox, type Toolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { BackgroundProcesses } from "../../../../../src/service/executor/processes/background-processes.ts";
import { backgroundProcessTool } from "../../../../../src/service/executor/tools/background-process.ts";
import { runCommandTool } from "../../../../../src/service/executor/tools/run-command.ts";
import { writeFile } from "../../../../../src/service/executor/tools/write-file.ts";
import { decodeSandbox } from "../../../../../src/service/sandbox/sandbox-config.ts";
import { unsandboxed } from "../../../../../src/service/sandbox/unsandboxed.ts";
import { noNetwork } from "../../../../support/no-network.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { ModelFixture } from "./model-fixture.ts";

let fixture: ModelFixture;
afterEach(() => fixture.close());

function sandboxOf({ root }: Pick<Checkout, "root">) {
  const config = decodeSandbox({ PATH: process.env.PATH }, root);
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  return unsandboxed({ config: config.value, inherited: [], clock: systemClock });
}

const withProcesses: Toolbox = (context) => {
  const { checkout, processes } = context;
  if (checkout === null || processes === null) throw new Error("There is nothing to execute commands in.");
  const sandbox = sandboxOf(checkout);
  const about = { gitFolder: null, isTrusted: true };
  return [
    ...readingToolbox(context),
    writeFile,
    runCommandTool({ sandbox, egress: noNetwork.egress, checkout: about, processes }),
    backgroundProcessTool(processes),
  ];
};

async function play(script: Script, recorder = new TaskRecorder()) {
  fixture = await ModelFixture.start({
    script,
    files: { "package.json": '{ "scripts": { "test": "true" } }' },
    settings: {
      toolbox: withProcesses,
      openProcesses: ({ task, checkout }) =>
        new BackgroundProcesses({
          sandbox: sandboxOf(checkout),
          egress: noNetwork.egress,
          checkout: { root: checkout.root, gitFolder: null, isTrusted: true },
          runId: task.runId,
          signal: task.signal,
          leftMs: () => 60_000,
          clock: systemClock,
        }),
    },
  });
  return { recorder, outcome: await fixture.run({}, recorder).catch((cause: unknown) => cause) };
}

const inBackground = (command: string) => call("run_command", { command, run_in_background: true });
/** Executes another command, until a result tells of an end. */
const untilTold =
  (at: number): Step =>
  ({ toolResults }) =>
    toolResults.at(-1)?.text.includes("[meanwhile") === true
      ? say("It ended.")
      : call("run_command", { command: `sleep 0.2 # ${at}` });
const untilThere = call("run_command", { command: "while [ ! -s child ]; do sleep 0.05; done" });

/** A process that has ended, and waits for its parent, has no environment any more. */
const isAlive = async () => {
  const id = Number(await readFile(join(fixture.checkout.root, "child"), "utf8"));
  return (await readFile(`/proc/${id}/environ`, "utf8").catch(() => "")) !== "";
};

describe("a model's command in the background", () => {
  it("is told of when it has ended, behind the next result, and history stays as it was sent", async () => {
    await play([
      inBackground("while [ ! -e go ]; do sleep 0.05; done; echo port taken; exit 3"),
      call("run_command", { command: "touch go" }),
      ...Array.from({ length: 100 }, (_, at) => untilTold(at)),
    ]);
    const last = fixture.server.requests.at(-1);
    expect(last?.toolResults[0]?.text).toBe("[no new output]\n[the background process p1.0 is running]");
    expect(last?.toolResults.at(-1)?.text).toMatch(
      /^\[meanwhile, the background process p1\.0 has ended, exit code 3: .*port taken\]\n\n\[no output\]\n\[exit code 0\]$/s,
    );
  });

  it("ends with its run", async () => {
    const { outcome } = await play([
      inBackground("sleep 300 & echo $! > child; wait"),
      untilThere,
      say("It goes on."),
    ]);
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(await isAlive()).toBe(false);
  });

  it("ends with a run that is cancelled", async () => {
    const recorder = new TaskRecorder();
    const { outcome } = await play(
      [
        inBackground("sleep 300 & echo $! > child; wait"),
        untilThere,
        () => {
          recorder.controller.abort(new Error("cancelled"));
          return say("It goes on.");
        },
      ],
      recorder,
    );
    expect(outcome).toMatchObject({ message: "cancelled" });
    expect(await isAlive()).toBe(false);
  });

  it("checks nothing", async () => {
    const { recorder } = await play([
      call("write_file", { path: "a.ts", content: "x\n" }),
      inBackground("npm test"),
      say("Done."),
      say("Not checked: it is in the background."),
    ]);
    const checks = recorder.events.filter((event) => event.type === "CUSTOM" && event.name === "checks");
    expect(checks.at(-1)).toMatchObject({ value: { state: "none", results: [] } });
  });
});
