// Executes a repository's setup script before the agent, and shows it in the run's stream like a command of the agent's.

import { isCommitTrusted } from "../../contract/ci/events.ts";
import type { Checkout, CheckoutSource } from "../core/checkouts/checkout.ts";
import {
  DEFAULT_SETUP,
  type EnvironmentClass,
  type Environments,
  type PreparedEnvironment,
} from "../core/checkouts/environment.ts";
import { placeOf } from "../core/commits/run-commit.ts";
import { blockedText } from "../core/egress/network-text.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { BackendTask, RunEnvironment } from "./backend.ts";
import { describeResult } from "./tools/run-command.ts";
import { boundResult } from "./tools/tool-call.ts";

/** Of what a failed setup wrote, for the agent. */
const MAX_TOLD_CHARS = 1_500;

export const noEnvironment: RunEnvironment = { home: null, setup: { state: "none" } };

export type EnvironmentOptions = {
  /** Null where nothing is executed. */
  readonly environments: Environments | null;
  readonly taken: TakenRun;
  readonly source: CheckoutSource;
  /** Before anything of an earlier run is restored in it: what setup executes is of the commit. */
  readonly checkout: Checkout;
  readonly task: Pick<BackendTask, "emit" | "network" | "nextId" | "signal">;
  /** Takes what has to be closed after the run. */
  readonly hold: (prepared: PreparedEnvironment) => void;
};

/** A script that fails is no failure of the run: the agent and the run's readers are told. */
export async function prepareEnvironment(options: EnvironmentOptions): Promise<RunEnvironment> {
  const { environments, taken, source, checkout, task, hold } = options;
  const { input, run } = taken;
  const named = input.setup;
  const place = placeOf(input);
  if (place === null || named === null) return noEnvironment;
  if (environments === null) return named === undefined ? noEnvironment : await showUnexecuted(task, named);
  // Its parent works in the same files, and has set them up.
  if (run.parentRunId !== null && checkout.isShared === true) return noEnvironment;
  const path = named ?? DEFAULT_SETUP;
  const script = await checkout.trustedText(path);
  if (script === null && named === undefined) return noEnvironment;
  const shown = await showCall(task, path);
  if (script === null) {
    const why = `The commit that writers agreed to has no file ${path}, or one of more than 256 KB.`;
    await shown.end(`error: ${why}`);
    return { home: null, setup: { state: "failed", script: path, why, output: "" } };
  }
  const { repository, issuer } = place;
  const { egress } = task.network;
  const prepared = await environments.prepare({
    checkout,
    source,
    script,
    egressSocket: await egress.socket("setup"),
    repository: { issuer, id: repository.id },
    class: classOf(source),
    signal: task.signal,
  });
  hold(prepared);
  const { setup, home, durationMs } = prepared;
  if (setup.ok === "cached") {
    const took = `An equal setup took ${seconds(setup.setupMs)}`;
    await shown.end(`[${took}: what it left was copied in ${seconds(durationMs)}]`);
    return { home, setup: { state: "done", script: path } };
  }
  if (!setup.ok) {
    await shown.end(`error: ${setup.refusal.detail}`);
    return { home, setup: { state: "failed", script: path, why: setup.refusal.detail, output: "" } };
  }
  const text = describeResult({ ...setup.value, blocked: blockedText([], egress.record().blocked) });
  await shown.end(text);
  if (setup.value.exitCode === 0) return { home, setup: { state: "done", script: path } };
  const end = text.slice(text.lastIndexOf("\n") + 1);
  const output = text.slice(0, -end.length).slice(-MAX_TOLD_CHARS);
  return { home, setup: { state: "failed", script: path, why: end.replace(/^\[|\]$/g, ""), output } };
}

/** A script that the run names, where no commands are executed at all. */
async function showUnexecuted(task: EnvironmentOptions["task"], script: string): Promise<RunEnvironment> {
  const why = "Nothing is executed here: there is no sandbox for it.";
  const shown = await showCall(task, script);
  await shown.end(`error: ${why}`);
  return { home: null, setup: { state: "failed", script, why, output: "" } };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Of a pull request the number, whichever event it is the head of. */
function classOf(source: CheckoutSource): EnvironmentClass {
  if (source.pullRequest !== undefined) return { pullRequest: source.pullRequest.number };
  if (isCommitTrusted(source)) return "trusted";
  const [refs, kind, number = ""] = source.ref.split("/");
  const isChange = refs === "refs" && (kind === "pull" || kind === "merge-requests");
  return isChange && Number.isSafeInteger(Number(number)) && number !== ""
    ? { pullRequest: Number(number) }
    : null;
}

async function showCall(
  task: EnvironmentOptions["task"],
  script: string,
): Promise<{ end(text: string): Promise<void> }> {
  const toolCallId = task.nextId("call");
  await task.emit({ type: "TOOL_CALL_START", toolCallId, toolCallName: "setup" });
  await task.emit({ type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify({ script }) });
  await task.emit({ type: "TOOL_CALL_END", toolCallId });
  return {
    async end(text) {
      const messageId = task.nextId("message");
      const content = boundResult(text);
      await task.emit({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" });
    },
  };
}
