// POST /v1/agents/{agentID}/runs/{runID}/cancel.

import { ok, type Result, refused } from "../../../base/result.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import { type AskedRuns, announce, askToEnd } from "./end-run.ts";
import { findRun } from "./read-run.ts";
import type { RunRefusal } from "./refusals.ts";

/**
 * Asks a run, and every run that it delegated to, to end: one that nobody took ends here, a running one when its
 * worker has heard. A child that is submitted meanwhile is either among them or refused. Safe to repeat until the run
 * has ended.
 */
export async function cancelRun(
  core: Core,
  request: { caller: Caller; agentId: string; runId: string },
): Promise<Result<{ runId: string }, RunRefusal>> {
  const found = await findRun(core, request);
  if (!found.ok) return found;
  const { runId } = request;

  const asked = await core.store.transact(async (tx): Promise<Result<AskedRuns, RunRefusal>> => {
    const run = await tx.runs.lock(runId);
    if (run === null) return refused({ reason: "run_not_found", runId });
    if (isTerminal(run.status)) return refused({ reason: "run_finished", runId, status: run.status });
    return ok(await askToEnd(core, tx, run));
  });

  if (!asked.ok) return asked;
  announce(core, asked.value);
  return ok({ runId });
}
