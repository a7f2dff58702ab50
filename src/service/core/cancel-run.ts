// POST /v1/agents/{agentID}/runs/{runID}/cancel.

import { ok, type Result, refused } from "../../base/result.ts";
import { isTerminal } from "../../contract/run.ts";
import type { RunEvent } from "../../contract/run-event.ts";
import type { Caller } from "./caller.ts";
import type { Core } from "./core.ts";
import { endRun } from "./progress-run.ts";
import { findRun } from "./read-run.ts";
import type { RunRefusal } from "./refusal.ts";

/**
 * Asks a run to end: one that nobody took ends here, a running one when its worker has heard. Safe to repeat until it
 * has ended.
 */
export async function cancelRun(
  core: Core,
  request: { caller: Caller; agentId: string; runId: string },
): Promise<Result<{ runId: string }, RunRefusal>> {
  const found = await findRun(core, request);
  if (!found.ok) return found;
  const { runId } = request;

  const cancelled = await core.store.transact(async (tx): Promise<Result<{ runId: string }, RunRefusal>> => {
    const run = await tx.lockRun(runId);
    if (run === null) return refused({ reason: "run_not_found", runId });
    if (isTerminal(run.status)) return refused({ reason: "run_finished", runId, status: run.status });
    if (run.status === "running") await tx.updateRun(runId, { status: "cancelling" });
    if (run.status === "queued") {
      // Taken and ended in one step, so that the stream still begins and ends as every stream does.
      const taken = { ...run, fence: run.fence + 1 };
      await tx.updateRun(runId, { status: "cancelling", fence: taken.fence });
      const opening: RunEvent = { type: "RUN_STARTED", threadId: run.threadId, runId };
      const ending = { status: "cancelled", cause: "user_stop" } as const;
      await endRun(core, tx, { run: taken, events: [opening], ending, usage: { tokens: 0, calls: 0 } });
    }
    return ok({ runId });
  });

  if (cancelled.ok) {
    core.signals.publish(runId);
    core.dispatch.nudge(runId);
  }
  return cancelled;
}
