// Gives back runs whose worker is gone, or ends them where they have no journal: when a single process starts, or when a node
// finds that another has stalled.
// Why: docs/decisions/005-a-run-is-not-executed-twice.md, docs/decisions/140-a-run-outlives-its-process.md

import { asRunEvent } from "../../../contract/runs/run-event.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { announce, endRun } from "./end-run.ts";
import { OpenSpans } from "./open-spans.ts";
import { JOURNAL_VERSION, releaseRun } from "./run-journal.ts";
import { cancelledEnding, interruptedEnding, poisonedEnding, type RunEnding } from "./run-machine.ts";
import type { RunRecord } from "./run-record.ts";
import { noUsage } from "./usage.ts";

const PAGE = 500;

/**
 * Puts queued runs into the queue again, and those whose worker is gone where they have a journal that this version knows. The others
 * of these are ended: no other node is there. Returns how many of each.
 */
export async function recoverRuns(
  core: Core,
): Promise<{ requeued: number; taken_up: number; ended: number }> {
  const { queue } = core.store.committed;
  const unfinished = await queue.listUnfinished();
  const released = new Set(await queue.listReleased());
  let ended = 0;
  for (const { id, status } of unfinished) {
    if (status === "queued" || released.has(id)) continue;
    if ((await leaveRun(core, id)) === "released") released.add(id);
    else ended += 1;
  }
  for (const { id } of await queue.listNewer(JOURNAL_VERSION)) {
    if ((await endReleased(core, id)) !== null) ended += 1;
    released.delete(id);
  }
  for (const id of released) core.dispatch.requeue(id);
  const queued = unfinished.filter((run) => run.status === "queued");
  for (const run of queued) core.dispatch.enqueue(run.id, run.billingAccount);
  return { requeued: queued.length, taken_up: released.size, ended };
}

/**
 * Leaves a run whose worker is gone to the next one, where it has a journal. It ends otherwise: `cancelled` where that was
 * requested, else `failed` with cause `interrupted`, refunded and retryable. A worker that is still alive can no longer write to
 * the run. Safe to repeat.
 */
export async function leaveRun(
  core: Core,
  runId: string,
  { after = "lost" }: Pick<AbandonedRun, "after"> = {},
): Promise<Abandoned | null> {
  return await settleAbandoned(core, { runId, ending: interruptedEnding, isAbandoned: () => true, after });
}

/** Ends a run, released with this fence where one is named, that no node goes on with: as `interrupted`. Null when nothing was done. */
export async function endReleased(
  core: Core,
  runId: string,
  { fence }: { fence?: number } = {},
): Promise<Abandoned | null> {
  const isAbandoned = (run: RunRecord) => fence === undefined || run.fence === fence;
  return await settleAbandoned(core, { runId, ending: interruptedEnding, isAbandoned, isLast: true });
}

/** What became of a run without a worker. */
export type Abandoned = "released" | "ended";

type AbandonedRun = {
  readonly runId: string;
  readonly ending: RunEnding;
  readonly isAbandoned: (run: RunRecord) => boolean;
  /** Whether it ends whatever its journal is. Default: it does not. */
  readonly isLast?: boolean;
  /** Default: its worker was lost. */
  readonly after?: "lost" | "handover";
};

/** Like `leaveRun`, with another ending, if `isAbandoned` is true of the locked run. Null when nothing was done. */
export async function settleAbandoned(core: Core, abandoned: AbandonedRun): Promise<Abandoned | null> {
  const { runId, isLast = false, after = "lost" } = abandoned;
  const settled = await core.store.transact(async (tx) => {
    const run = await tx.runs.lock(runId);
    if (run === null || (run.status !== "running" && run.status !== "cancelling")) return null;
    // It has no worker, and needs none.
    if (run.parked !== undefined || !abandoned.isAbandoned(run)) return null;
    const events = await closersOf(tx, run);
    const release = () => (isLast ? "no_journal" : releaseRun(core, tx, { run, events, after }));
    const released = run.status === "running" ? await release() : null;
    if (released === "released") return released;
    const taken = { ...run, fence: run.fence + 1 };
    await tx.runs.update(runId, { fence: taken.fence });
    await tx.queue.forgetReleased(runId);
    const ending =
      released === null
        ? cancelledEnding
        : released === "too_many_losses"
          ? poisonedEnding({ isKept: false })
          : abandoned.ending;
    return await endRun(core, tx, { run: taken, events, ending, usage: noUsage });
  });
  if (settled === null) return null;
  core.signals.publish(runId);
  if (settled === "released") return settled;
  announce(core, settled);
  return "ended";
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
