// POST /v1/agents/{agentID}/runs/{runID}/cancel.

import { ok, type Result, refused } from "../../../base/result.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import { announce, type CancelledRuns, cancelTree } from "./end-run.ts";
import { findRun } from "./read-run.ts";
import type { RunRefusal } from "./refusals.ts";

/**
 * Cancels a run and its descendants: a queued one ends here, a running one when its worker reads its state. A child that is
 * submitted at the same time is either cancelled too or refused. Safe to repeat until the run
 * has ended.
 */
export async function cancelRun(
  core: Core,
  request: { caller: Caller; agentId: string; runId: string },
): Promise<Result<{ runId: string }, RunRefusal>> {
  const found = await findRun(core, request);
  if (!found.ok) return found;
  const { runId } = request;

  const cancelled = await core.store.transact(async (tx): Promise<Result<CancelledRuns, RunRefusal>> => {
    const run = await tx.runs.lock(runId);
    if (run === null) return refused({ reason: "run_not_found", runId });
    if (isTerminal(run.status)) return refused({ reason: "run_finished", runId, status: run.status });
    return ok(await cancelTree(core, tx, run));
  });

  if (!cancelled.ok) return cancelled;
  announce(core, cancelled.value);
  return ok({ runId });
}

/**
 * Cancels a child of a running run, and its descendants, for the worker that has the run. Nothing is done where the child has ended, or
 * is none of this run. Safe to repeat.
 */
export async function cancelChild(
  core: Core,
  { parentId, runId }: { readonly parentId: string; readonly runId: string },
): Promise<void> {
  const cancelled = await core.store.transact(async (tx): Promise<CancelledRuns> => {
    const run = await tx.runs.lock(runId);
    if (run === null || run.parentRunId !== parentId || isTerminal(run.status)) return [];
    return await cancelTree(core, tx, run);
  });
  announce(core, cancelled);
}
