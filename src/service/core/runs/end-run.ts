// How a run ends: last events, quota, closing event, state and money, and the runs that it delegated to, in one
// transaction.

import { isTerminal } from "../../../contract/runs/run.ts";
import type { RunEvent } from "../../../contract/runs/run-event.ts";
import { offerClaim } from "../claims/claim-url.ts";
import type { Core } from "../core.ts";
import { balanceInCredits, EARNED, HELD, RUN_FEE_MICRO_USD } from "../money/ledger.ts";
import type { Posting, PostingKind } from "../money/posting.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { cancelledEnding, type Ending, refundReasonOf } from "./run-machine.ts";
import type { RunOutcome, RunRecord } from "./run-record.ts";
import { chargedUsage, noUsage, sumOf, type Usage } from "./usage.ts";

/** The ids of runs that a transaction asked to end: to be told to readers and workers once it has been committed. */
export type AskedRuns = readonly string[];

/** Tells readers and workers of the runs that a transaction asked to end. */
export function announce(core: Core, asked: AskedRuns): void {
  for (const runId of asked) {
    core.signals.publish(runId);
    core.dispatch.nudge(runId);
  }
}

/**
 * Ends a run, and asks those to end that it delegated to and did not wait for: they are returned, to be announced. The
 * caller holds the run's lock.
 */
export async function endRun(
  core: Core,
  tx: StoreTransaction,
  end: { run: RunRecord; events: readonly RunEvent[]; ending: Ending; usage: Usage },
): Promise<AskedRuns> {
  const children = await lockDescendants(tx, end.run.id);
  await closeRun(core, tx, end);
  return await askEach(core, tx, children);
}

/**
 * Asks a run, and all that it delegated to, to end: what nobody took ends here, the rest when its worker has heard.
 * The caller holds the run's lock, and announces what is returned.
 */
export async function askToEnd(core: Core, tx: StoreTransaction, run: RunRecord): Promise<AskedRuns> {
  // Every lock before the first posting: whoever ends one of these runs takes its lock before the ledger's.
  const children = await lockDescendants(tx, run.id);
  return await askEach(core, tx, [run, ...children]);
}

/** From the run downwards, as everybody takes these locks. A child that is submitted meanwhile waits for them. */
async function lockDescendants(tx: StoreTransaction, runId: string): Promise<RunRecord[]> {
  const locked: RunRecord[] = [];
  for (const childId of await tx.runs.listUnfinishedChildren(runId)) {
    const child = await tx.runs.lock(childId);
    if (child === null || isTerminal(child.status)) continue;
    locked.push(child, ...(await lockDescendants(tx, childId)));
  }
  return locked;
}

async function askEach(core: Core, tx: StoreTransaction, runs: readonly RunRecord[]): Promise<AskedRuns> {
  for (const run of runs) {
    if (run.status === "running") await tx.runs.update(run.id, { status: "cancelling" });
    if (run.status !== "queued") continue;
    // Taken and ended in one step, so that the stream still begins and ends as every stream does.
    const taken = { ...run, fence: run.fence + 1 };
    await tx.runs.update(run.id, { status: "cancelling", fence: taken.fence });
    const opening: RunEvent = { type: "RUN_STARTED", threadId: run.threadId, runId: run.id };
    await closeRun(core, tx, {
      run: taken,
      events: [opening],
      ending: cancelledEnding,
      usage: noUsage,
    });
  }
  return runs.map(({ id }) => id);
}

async function closeRun(
  core: Core,
  tx: StoreTransaction,
  end: { run: RunRecord; events: readonly RunEvent[]; ending: Ending; usage: Usage },
): Promise<void> {
  const { run, ending, usage } = end;
  const now = core.clock.now();
  const settled = await settle(core, tx, { run, ending, usage });
  const claimUrl = settled.balance < RUN_FEE_MICRO_USD ? await offerClaim(core, tx, run.agentId) : null;
  const events: RunEvent[] = [
    ...end.events,
    ...(core.policy.freeFor === "everyone" ? [] : [quotaEvent(settled.balance, claimUrl)]),
    closingEvent(run, ending),
  ];
  const jsons = events.map((event) => JSON.stringify(event));
  const outcome: RunOutcome = {
    status: ending.status,
    endedAt: now,
    cause: ending.status === "completed" ? null : ending.cause,
    retryable: ending.status === "failed" && ending.retryable,
    stopReason: ending.status === "completed" ? ending.stopReason : null,
    usage: chargedUsage(usage, settled.gross),
    grossMicroUsd: settled.gross,
    refundedMicroUsd: settled.refunded,
    refundReason: settled.refunded === 0 ? null : refundReasonOf(ending),
  };
  const appended = await tx.events.append({ runId: run.id, fence: run.fence, now, jsons, outcome });
  if (appended === null) throw new Error(`Run ${run.id}: changed while it was locked.`);
  if (run.origin === "schedule") await tx.schedules.finish(run.id);
}

/** Turns the hold into what is owed: a run that never started costs nothing, our own faults are given back. */
async function settle(
  core: Core,
  tx: StoreTransaction,
  { run, ending, usage }: { run: RunRecord; ending: Ending; usage: Usage },
): Promise<{ gross: number; refunded: number; balance: number }> {
  const now = core.clock.now();
  const postings: Posting[] = [];
  const move = (kind: PostingKind, from: string, to: string, microUsd: number) => {
    if (microUsd === 0) return;
    postings.push({ id: core.random.uuid(now), at: now, kind, from, to, microUsd, runId: run.id });
  };
  const owed = RUN_FEE_MICRO_USD + sumOf(usage, "microUsd");
  const gross = run.startedAt === null ? 0 : Math.min(owed, run.holdMicroUsd);
  const refunded = refundReasonOf(ending) === null ? 0 : gross;
  move("charge", HELD, EARNED, gross);
  move("release", HELD, run.billingAccount, run.holdMicroUsd - gross);
  move("refund", EARNED, run.billingAccount, refunded);
  return {
    gross,
    refunded,
    balance: await tx.ledger.settle({ billingAccount: run.billingAccount, postings }),
  };
}

function quotaEvent(balance: number, claimUrl: string | null): RunEvent {
  const value = { credits_remaining: balanceInCredits(balance), claim_url: claimUrl };
  return { type: "CUSTOM", name: "quota", value };
}

function closingEvent(run: RunRecord, ending: Ending): RunEvent {
  const ids = { threadId: run.threadId, runId: run.id };
  switch (ending.status) {
    case "completed":
      return { type: "RUN_FINISHED", ...ids, outcome: { type: "success" } };
    case "cancelled":
      return { type: "RUN_FINISHED", ...ids, outcome: { type: "cancelled" } };
    case "failed":
      return { type: "RUN_ERROR", message: ending.message, code: ending.cause };
  }
}
