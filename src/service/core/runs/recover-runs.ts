// Ends runs whose worker is gone: when a single process starts, or when a node finds that another has stalled.
// Why: docs/decisions/005-a-run-is-not-executed-twice.md

import { asRunEvent } from "../../../contract/runs/run-event.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { announce, endRun } from "./end-run.ts";
import { OpenSpans } from "./open-spans.ts";
import { cancelledEnding, type Ending, interruptedEnding } from "./run-machine.ts";
import type { RunRecord } from "./run-record.ts";
import { noUsage } from "./usage.ts";

const PAGE = 500;

/** Puts queued runs into the queue again, and ends those whose worker is gone. Returns how many of each. */
export async function recoverRuns(core: Core): Promise<{ requeued: number; ended: number }> {
  const unfinished = await core.store.committed.queue.listUnfinished();
  let ended = 0;
  for (const { id, status } of unfinished) {
    if (status === "queued") continue;
    await interruptRun(core, id);
    ended += 1;
  }
  const queued = unfinished.filter((run) => run.status === "queued");
  for (const run of queued) core.dispatch.enqueue(run.id);
  return { requeued: queued.length, ended };
}

/**
 * Ends a run whose worker is gone: `cancelled` where that was requested, else `failed` with cause `interrupted`, refunded
 * and retryable. A worker that is still alive can no longer write to the run. Safe to repeat.
 */
export async function interruptRun(core: Core, runId: string): Promise<void> {
  await endAbandonedRun(core, { runId, ending: interruptedEnding, isAbandoned: () => true });
}

/** Like `interruptRun`, with another ending, if `isAbandoned` is true of the locked run. False when nothing was ended. */
export async function endAbandonedRun(
  core: Core,
  abandoned: { runId: string; ending: Ending; isAbandoned(run: RunRecord): boolean },
): Promise<boolean> {
  const { runId } = abandoned;
  const cancelled = await core.store.transact(async (tx) => {
    const run = await tx.runs.lock(runId);
    if (run === null || (run.status !== "running" && run.status !== "cancelling")) return null;
    if (!abandoned.isAbandoned(run)) return null;
    const taken = { ...run, fence: run.fence + 1 };
    await tx.runs.update(runId, { fence: taken.fence });
    const events = await closersOf(tx, run);
    const ending = run.status === "cancelling" ? cancelledEnding : abandoned.ending;
    return await endRun(core, tx, { run: taken, events, ending, usage: noUsage });
  });
  if (cancelled === null) return false;
  core.signals.publish(runId);
  announce(core, cancelled);
  return true;
}

async function closersOf(tx: StoreTransaction, run: RunRecord) {
  const spans = new OpenSpans();
  for (let after = 0; after < run.lastSeq; ) {
    const page = await tx.events.list({ runId: run.id, after, limit: PAGE });
    for (const { json, seq } of page) {
      const event = asRunEvent(JSON.parse(json));
      if (event !== null) spans.add(event);
      after = seq;
    }
    if (page.length === 0) break;
  }
  return spans.closers();
}
