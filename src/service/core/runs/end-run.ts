// The end of a run: last events, quota, closing event, state and money, and the runs that it delegated to, in one transaction.

import type { ChecksState } from "../../../contract/runs/checks.ts";
import { isTerminal, type RunCause } from "../../../contract/runs/run.ts";
import type { RunEvent, WrittenEvent } from "../../../contract/runs/run-event.ts";
import { offerClaim } from "../claims/claim-url.ts";
import type { Core } from "../core.ts";
import {
  accountWallet,
  balanceInCredits,
  EARNED,
  HELD,
  isAccountWallet,
  RUN_FEE_MICRO_USD,
} from "../money/ledger.ts";
import type { Posting, PostingKind } from "../money/posting.ts";
import { costOfTime } from "../money/run-price.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { holdOf } from "./new-run.ts";
import type { RunEnd } from "./queue-port.ts";
import { chargedText, decideRefund, type Refund } from "./refunds.ts";
import {
  type Cancelled,
  cancelledEnding,
  deletedEnding,
  isFree,
  isShortOfCredits,
  type RunEnding,
  stopReasonOf,
} from "./run-machine.ts";
import type { ParkedState, RunRecord } from "./run-record.ts";
import { chargedUsage, noUsage, sumOf, type Usage } from "./usage.ts";

declare module "../core.ts" {
  interface Core {
    /** Hooks of other nouns at the end of a run, as a part of that transaction, which holds the run's lock. */
    readonly onRunEnded: readonly RunEnded[];
  }
}

export type RunEnded = (tx: StoreTransaction, run: RunRecord) => Promise<void>;

/** The ids of runs that a transaction ended or requested to end. After the commit, `announce` wakes readers and workers. */
export type CancelledRuns = readonly string[];

/** Wakes the readers and workers of runs that a transaction ended or requested to end. */
export function announce(core: Core, cancelled: CancelledRuns): void {
  for (const runId of cancelled) {
    core.signals.publish(runId);
    core.dispatch.nudge(runId);
  }
}

/**
 * Ends a run, and cancels its children that are still in flight. They are returned, to be announced. The caller holds the
 * run's lock.
 */
export async function endRun(core: Core, tx: StoreTransaction, end: RunClosing): Promise<CancelledRuns> {
  const children = await lockDescendants(tx, end.run.id);
  await closeRun(core, tx, end);
  return await cancelEach(core, tx, children);
}

/**
 * Cancels a run and its descendants: a queued one ends here, a running one when its worker reads its state. The caller
 * holds the run's lock, and announces what is returned.
 */
export async function cancelTree(core: Core, tx: StoreTransaction, run: RunRecord): Promise<CancelledRuns> {
  // Every run is locked before the first posting: all transactions lock runs before the ledger, which avoids deadlocks.
  const children = await lockDescendants(tx, run.id);
  return await cancelEach(core, tx, [run, ...children]);
}

/** Cancels the runs that a run has delegated to. The caller holds the run's lock, and announces what is returned. */
export async function cancelChildren(
  core: Core,
  tx: StoreTransaction,
  runId: string,
): Promise<CancelledRuns> {
  return await cancelEach(core, tx, await lockDescendants(tx, runId));
}

/** Cancels every run of an agent that is in flight, and their descendants. The caller announces what is returned. */
export async function cancelDeleted(
  core: Core,
  tx: StoreTransaction,
  agentId: string,
): Promise<CancelledRuns> {
  const locked = new Map<string, RunRecord>();
  for (const runId of await tx.runs.listUnfinishedOfAgent(agentId)) {
    if (locked.has(runId)) continue;
    const run = await tx.runs.lock(runId);
    if (run === null || isTerminal(run.status)) continue;
    for (const one of [run, ...(await lockDescendants(tx, runId))]) locked.set(one.id, one);
  }
  return await cancelEach(core, tx, [...locked.values()], deletedEnding);
}

/** From the run downwards, the order in which every transaction takes these locks. A new child's submission waits. */
async function lockDescendants(tx: StoreTransaction, runId: string): Promise<RunRecord[]> {
  const locked: RunRecord[] = [];
  for (const childId of await tx.runs.listUnfinishedChildren(runId)) {
    const child = await tx.runs.lock(childId);
    if (child === null || isTerminal(child.status)) continue;
    locked.push(child, ...(await lockDescendants(tx, childId)));
  }
  return locked;
}

async function cancelEach(
  core: Core,
  tx: StoreTransaction,
  runs: readonly RunRecord[],
  ending: Cancelled = cancelledEnding,
): Promise<CancelledRuns> {
  const { cause } = ending;
  for (const run of runs) {
    if (run.parked !== undefined) {
      await cancelParked(core, tx, { run, parked: run.parked, ending });
      continue;
    }
    if (run.status === "running") await tx.runs.update(run.id, { status: "cancelling", cause });
    if (run.status !== "queued") continue;
    // Started and ended in one step, so that its stream begins and ends like every other.
    const taken: RunRecord = { ...run, status: "cancelling", fence: run.fence + 1 };
    await tx.runs.update(run.id, { status: "cancelling", fence: taken.fence });
    const opening: RunEvent = { type: "RUN_STARTED", threadId: run.sessionId, runId: run.id };
    await closeRun(core, tx, {
      run: taken,
      events: [opening],
      ending,
      usage: noUsage,
    });
  }
  return runs.map(({ id }) => id);
}

/** No worker reads its state: it ends here, and is charged what it has used. */
async function cancelParked(
  core: Core,
  tx: StoreTransaction,
  { run, parked, ending }: { run: RunRecord; parked: ParkedState; ending: Cancelled },
): Promise<void> {
  const { parked: _parked, ...unparked } = run;
  const { cause } = ending;
  const taken: RunRecord = { ...unparked, status: "cancelling", cause, fence: run.fence + 1 };
  await tx.runs.update(run.id, { status: "cancelling", cause, fence: taken.fence, parked: null });
  const { usage, workedMs, checks } = parked;
  await closeRun(core, tx, { run: taken, events: [], ending, usage, workedMs, checks });
}

type RunClosing = {
  readonly run: RunRecord;
  readonly events: readonly WrittenEvent[];
  readonly ending: RunEnding;
  readonly usage: Usage;
  /** The time that its worker was at it, by the worker's monotonic clock. Undefined: no worker lived to say so. */
  readonly workedMs?: number | undefined;
  /** As its stream says. Default: it says nothing. */
  readonly checks?: ChecksState | null | undefined;
  /** Whether it has a journal, which ends with it. Default: it may have one. */
  readonly hasJournal?: boolean;
  /** Whether its job brought access tokens for MCP servers. Default: it may have. */
  readonly hasServerAccess?: boolean;
};

/**
 * Ends a run that nobody has locked, in one write. False, and nothing done, when that is not possible: the run has changed
 * since it was read, or its end writes more than the run and its postings.
 */
export async function endUnlocked(core: Core, tx: StoreTransaction, closing: RunClosing): Promise<boolean> {
  // Refunds are counted under the lock of the billing account, and minutes that cost are held first.
  const { run, ending, hasJournal, hasServerAccess } = closing;
  if (run.origin === "schedule" || ending.status === "failed" || run.price !== null) return false;
  // What it was given for its model and its servers is deleted with its end.
  if (run.modelBilling !== null || hasJournal === true || hasServerAccess === true) return false;
  const settled = await settle(core, tx, closing);
  const balance = await balanceAfter(tx, run, settled);
  if (balance < RUN_FEE_MICRO_USD || isShortOfCredits(ending)) return false;
  return await tx.events.end(endOf(core, closing, { settled, balance, claimUrl: null }));
}

/** The caller holds the run's lock. */
async function closeRun(core: Core, tx: StoreTransaction, closing: RunClosing): Promise<void> {
  const { run, ending } = closing;
  const settled = await settle(core, tx, closing);
  const balance = await balanceAfter(tx, run, settled);
  const isShort = balance < RUN_FEE_MICRO_USD || isShortOfCredits(ending);
  const claimUrl = isShort ? await offerClaim(core, tx, run.agentId) : null;
  const isEnded = await tx.events.end(endOf(core, closing, { settled, balance, claimUrl }));
  if (!isEnded) throw new Error(`Run ${run.id}: changed while it was locked.`);
  if (run.modelBilling !== null || closing.hasServerAccess !== false) await tx.runSecrets.delete(run.id);
  // Nobody may read what a deleted agent has done, nor the next owner what the one before had it do.
  const isNobodys = causeOf(run, ending) === "agent_deleted" || (await isGivenBack(tx, run));
  if (core.policy.journalMs === 0 || isNobodys) await tx.journal.delete(run.id);
  else await tx.journal.end({ runId: run.id, now: core.clock.now() });
  for (const ended of core.onRunEnded) await ended(tx, run);
}

/** Whether the account that pays for the run has given its agent back since. */
async function isGivenBack(tx: StoreTransaction, { agentId, billingAccount }: RunRecord): Promise<boolean> {
  if (!isAccountWallet(billingAccount)) return false;
  const owner = (await tx.agents.find(agentId))?.accountId ?? null;
  return owner === null || accountWallet(owner) !== billingAccount;
}

type Settled = {
  /** When it ended: that of its postings, too, so that a day's runs cost what its postings say. */
  readonly now: number;
  /** The amount that was held at last. */
  readonly held: number;
  readonly gross: number;
  readonly refund: Refund;
  /** The amount that the billing account gets back. */
  readonly returned: number;
  readonly postings: readonly Posting[];
};

/**
 * Turns the hold into a charge. A run that never started, or that no model worked on, costs nothing; one that ended by the
 * service's fault is refunded.
 */
async function settle(
  core: Core,
  tx: StoreTransaction,
  { run, ending, usage, workedMs }: RunClosing,
): Promise<Settled> {
  const now = core.clock.now();
  const postings: Posting[] = [];
  const move = (kind: PostingKind, from: string, to: string, microUsd: number) => {
    if (microUsd === 0) return;
    postings.push({ id: core.random.uuid(now), at: now, kind, from, to, microUsd, runId: run.id });
  };
  const isUnpaid = run.startedAt === null || isFree(ending);
  const elapsedMs = workedMs ?? (run.startedAt === null ? 0 : Math.max(0, now - run.startedAt));
  const owed = isUnpaid ? 0 : costOfTime(run.price, elapsedMs) + sumOf(usage, "microUsd");
  const held = await holdForTime(core, tx, { run, owed });
  const gross = Math.min(owed, held);
  const refund = await decideRefund(core, tx, { run, ending, gross });
  move("charge", HELD, EARNED, gross);
  move("release", HELD, run.billingAccount, held - gross);
  move("refund", EARNED, run.billingAccount, refund.microUsd);
  return { now, held, gross, refund, returned: held - gross + refund.microUsd, postings };
}

async function balanceAfter(tx: StoreTransaction, run: RunRecord, { returned }: Settled): Promise<number> {
  return ((await tx.ledger.findBalance(run.billingAccount)) ?? 0) + returned;
}

function endOf(
  core: Core,
  { run, events, ending, usage, checks }: RunClosing,
  { settled, balance, claimUrl }: { settled: Settled; balance: number; claimUrl: string | null },
): RunEnd {
  const { now } = settled;
  const last: readonly WrittenEvent[] = [
    ...events,
    ...(core.policy.freeFor === "everyone" ? [] : [quotaEvent(run, { balance, claimUrl })]),
    closingEvent(run, ending, chargedText(core, settled.refund)),
  ];
  return {
    runId: run.id,
    fence: run.fence,
    now,
    jsons: last.map((event) => JSON.stringify(event)),
    outcome: {
      status: ending.status,
      endedAt: now,
      cause: causeOf(run, ending),
      retryable: ending.status === "failed" && ending.retryable,
      stopReason: stopReasonOf(ending),
      usage: chargedUsage(usage, settled.gross),
      grossMicroUsd: settled.gross,
      refundedMicroUsd: settled.refund.microUsd,
      refundReason: settled.refund.reason,
      refundWithheldReason: settled.refund.withheldReason,
      checks: checks ?? null,
    },
    was: { status: run.status, holdMicroUsd: settled.held },
    settlement: { billingAccount: run.billingAccount, postings: settled.postings },
  };
}

/** A run that is cancelled has its cause from then on: its worker does not know it. */
function causeOf(run: RunRecord, ending: RunEnding): RunCause | null {
  switch (ending.status) {
    case "completed":
      return null;
    case "cancelled":
      return run.cause ?? ending.cause;
    case "failed":
      return ending.cause;
  }
}

/**
 * Raises the hold of a run whose minutes cost, as far as the billing account can pay: while it only waits, nothing else does.
 * Returns what is held.
 */
async function holdForTime(
  core: Core,
  tx: StoreTransaction,
  { run, owed }: { run: RunRecord; owed: number },
): Promise<number> {
  const { id: runId, price, billingAccount, holdMicroUsd } = run;
  if (price === null || owed <= holdMicroUsd) return holdMicroUsd;
  const balance = (await tx.ledger.findBalance(billingAccount)) ?? 0;
  const microUsd = Math.min(owed - holdMicroUsd, balance);
  if (microUsd > 0 && !(await tx.ledger.hold(holdOf(core, { billingAccount, runId, microUsd }))))
    return holdMicroUsd;
  await tx.runs.update(runId, { holdMicroUsd: holdMicroUsd + microUsd });
  return holdMicroUsd + microUsd;
}

function quotaEvent(
  { modelBilling }: RunRecord,
  { balance, claimUrl }: { balance: number; claimUrl: string | null },
): RunEvent {
  const value = {
    credits_remaining: balanceInCredits(balance),
    claim_url: claimUrl,
    ...(modelBilling === null ? {} : { model_billing: modelBilling }),
  };
  return { type: "CUSTOM", name: "quota", value };
}

function closingEvent(run: RunRecord, ending: RunEnding, charged: string): RunEvent {
  const ids = { threadId: run.sessionId, runId: run.id };
  switch (ending.status) {
    case "completed":
      return { type: "RUN_FINISHED", ...ids, outcome: { type: "success" } };
    case "cancelled":
      return { type: "RUN_FINISHED", ...ids, outcome: { type: "cancelled" } };
    case "failed":
      return { type: "RUN_ERROR", message: ending.message + charged, code: ending.cause };
  }
}
