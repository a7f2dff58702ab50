// The work of one taken run: its workspace, its backend, and the ending that came of it.

import type { RunCause } from "../../contract/run.ts";
import type { Core } from "../core/core.ts";
import type { Workspace, WorkspaceProvider } from "../core/ports/workspace.ts";
import type { TakenRun } from "../core/progress-run.ts";
import { type Ending, interruptedEnding, type Usage } from "../core/run-machine.ts";
import type { Backend, BackendTask } from "./backend.ts";
import { type EventWriter, StreamLimitError } from "./event-writer.ts";
import { RunStopped, type StopKind } from "./stop-reason.ts";

const NO_USAGE: Usage = { tokens: 0, calls: 0 };

export type Work = {
  readonly core: Core;
  readonly taken: TakenRun;
  readonly backends: readonly Backend[];
  readonly workspaces: WorkspaceProvider;
  readonly writer: EventWriter;
  /** Aborts with a RunStopped. */
  readonly signal: AbortSignal;
};

export type WorkDone = { readonly ending: Ending; readonly usage: Usage };

/** Never rejects: whatever happens is an ending. Leaves no workspace behind. */
export async function carryOut(work: Work): Promise<WorkDone> {
  const { core, taken, signal } = work;
  const runId = taken.run.id;
  let workspace: Workspace | null = null;
  try {
    const agent = await core.store.committed.findAgent(taken.run.agentId);
    const backend = work.backends.find((candidate) => candidate.name === agent?.backend);
    if (backend === undefined) {
      return failed("spawn_failed", `This service has no backend named "${agent?.backend ?? ""}".`);
    }
    const task = taskOf(work);
    if (!backend.needsWorkspace) return completed(await untilStopped(backend.run(task), signal));

    const { job } = taken.input;
    if (job === null) {
      return failed("spawn_failed", `Backend "${backend.name}" reads a repository, and this run has none.`);
    }
    const source = { ...job, runId, repository: job.repository.name };
    const opened = await work.workspaces.open(source, signal);
    if (opened.ok) workspace = opened.value;
    signal.throwIfAborted();
    if (!opened.ok) {
      return failed("spawn_failed", opened.refusal.detail, opened.refusal.reason === "clone_timed_out");
    }
    return completed(await untilStopped(backend.run({ ...task, ...source }, opened.value), signal));
  } catch (cause) {
    if (cause instanceof RunStopped) return { ending: endingOf(cause.kind), usage: NO_USAGE };
    if (cause instanceof StreamLimitError)
      return failed("backend_error", `${cause.message} Ask for less in one run.`);
    core.log.error({ run_id: runId, err: cause }, "backend failed");
    return failed("backend_error", "The agent's backend failed. Nothing was charged. Run it again.", true);
  } finally {
    await workspace?.close().catch((cause: unknown) => {
      core.log.warn({ run_id: runId, err: cause }, "workspace could not be removed");
    });
  }
}

function taskOf({ taken, writer, signal }: Work): BackendTask {
  const { run, input } = taken;
  let ids = 0;
  return {
    runId: run.id,
    messages: input.messages,
    maxTurnTokens: input.maxTurnTokens,
    signal,
    emit: async (event) => {
      signal.throwIfAborted();
      await writer.emit(event);
    },
    nextId: (kind) => {
      ids += 1;
      return `${kind}-${ids}`;
    },
  };
}

/** Settles as the work does, or rejects with the signal's reason as soon as it aborts: a deaf backend holds nobody up. */
async function untilStopped<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return await new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function completed(outcome: { stopReason: string; usage: Usage }): WorkDone {
  return { ending: { status: "completed", stopReason: outcome.stopReason }, usage: outcome.usage };
}

function failed(cause: RunCause, message: string, retryable = false): WorkDone {
  return { ending: { status: "failed", cause, message, retryable }, usage: NO_USAGE };
}

function endingOf(kind: StopKind): Ending {
  switch (kind) {
    case "cancel":
      return { status: "cancelled", cause: "user_stop" };
    case "time_limit":
      return {
        status: "failed",
        cause: "time_limit",
        message: "The run reached the time limit of this service. Ask for less in one run.",
        retryable: false,
      };
    case "shutdown":
    case "lost":
      return interruptedEnding;
  }
}
