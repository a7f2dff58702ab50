// A worker's steps of a run: take it, append to its stream, send heartbeats, end it. Each step is one transaction, and wakes the
// readers after the commit.

import type { ChecksState } from "../../../contract/runs/checks.ts";
import { isTerminal, type RunStatus } from "../../../contract/runs/run.ts";
import type { WrittenEvent } from "../../../contract/runs/run-event.ts";
import type { Core } from "../core.ts";
import { monthOf } from "../money/ledger.ts";
import { planWeights, type ToolRate } from "../money/rates.ts";
import { announce, endRun, endUnlocked } from "./end-run.ts";
import { holdOf } from "./new-run.ts";
import type { HeldRun, StartedRun } from "./queue-port.ts";
import { JOURNAL_VERSION } from "./run-journal.ts";
import { cancelledEnding, type RunEnding } from "./run-machine.ts";
import type { RunRecord } from "./run-record.ts";
import type { Usage } from "./usage.ts";

export type TakenRun = StartedRun;

/**
 * Takes a queued run, or the oldest one, and opens its stream. Null when it is not queued any more, or there is none.
 * Readers are woken by the caller, with `signals.opened`, or by what the run says first.
 */
export async function takeRun(core: Core, runId: string | "oldest"): Promise<TakenRun | null> {
  const { signals } = core;
  if (runId === "oldest") return await signals.openingTaken(startRun(core, runId));
  signals.opening(runId);
  let taken: TakenRun | null = null;
  try {
    taken = (await startRun(core, runId)) ?? (await takeReleasedRun(core, runId));
    if (taken !== null) signals.opening(runId);
    return taken;
  } finally {
    if (taken === null) signals.opened(runId);
  }
}

async function startRun(core: Core, runId: string | "oldest"): Promise<TakenRun | null> {
  return await core.store.transact(
    (tx) => {
      const now = core.clock.now();
      if (runId !== "oldest") return tx.queue.start({ runId, now });
      return tx.queue.startOldest({ now, weights: planWeights(core.rates) });
    },
    { isOneWrite: true },
  );
}

/** Takes a run that was given back, or the oldest one. Null where it was not, or there is none. */
export async function takeReleasedRun(core: Core, runId: string | "oldest"): Promise<TakenRun | null> {
  const named = runId === "oldest" ? null : runId;
  return await core.store.transact((tx) =>
    tx.queue.takeReleased({ runId: named, now: core.clock.now(), version: JOURNAL_VERSION }),
  );
}

/** Appends to the stream. Returns the run's state, or null when another worker has the run or it has ended. */
export async function appendRunEvents(
  core: Core,
  batch: { runId: string; fence: number; events: readonly WrittenEvent[] },
): Promise<RunStatus | null> {
  const { runId, fence, events } = batch;
  const jsons = events.map((event) => JSON.stringify(event));
  const appended = await core.store.transact(
    (tx) => tx.events.append({ runId, fence, now: core.clock.now(), jsons }),
    { isOneWrite: true },
  );
  core.signals.publish(runId);
  return appended?.status ?? null;
}

/** Sends a heartbeat. Returns the run's state, or null when another worker has the run or it has ended. */
export async function beatRun(core: Core, run: HeldRun): Promise<RunStatus | null> {
  return (await beatRuns(core, [run])).get(run.runId) ?? null;
}

/** Heartbeats of many runs. Returns the states of those that this worker still has and that have not ended. */
export async function beatRuns(
  core: Core,
  runs: readonly HeldRun[],
): Promise<ReadonlyMap<string, RunStatus>> {
  return await core.store.transact((tx) => tx.queue.beat({ runs, now: core.clock.now() }), {
    isOneWrite: true,
  });
}

/** Holds more of the billing account's credits for a run. False when there are not enough, or another worker has the run. */
export async function raiseHold(
  core: Core,
  raise: { runId: string; fence: number; microUsd: number },
): Promise<boolean> {
  const { runId, fence, microUsd } = raise;
  return await core.store.transact(async (tx) => {
    const run = await tx.runs.lock(runId);
    if (run === null || run.fence !== fence || isTerminal(run.status)) return false;
    if (!(await tx.ledger.hold(holdOf(core, { billingAccount: run.billingAccount, runId, microUsd }))))
      return false;
    await tx.runs.update(runId, { holdMicroUsd: run.holdMicroUsd + microUsd });
    return true;
  });
}

/** Uses one of the calls of a tool that the billing account has for nothing this month. False when none is left. */
export async function takeFreeCall(
  core: Core,
  { run, rate }: { run: Pick<RunRecord, "billingAccount">; rate: ToolRate },
): Promise<boolean> {
  const { tool, freePerMonth: allowed } = rate;
  const call = { billingAccount: run.billingAccount, month: monthOf(core.clock.now()), tool, allowed };
  return await core.store.transact((tx) => tx.ledger.takeFreeCall(call));
}

type Finish = {
  readonly runId: string;
  readonly fence: number;
  /** The last events. They close every open message, call and step. */
  readonly events: readonly WrittenEvent[];
  readonly ending: RunEnding;
  readonly usage: Usage;
  /** By the worker's monotonic clock. */
  readonly workedMs?: number;
  /** Null: its stream says nothing of them. */
  readonly checks?: ChecksState | null;
  /** The run's. Transactions that settle with it wait for one another. */
  readonly billingAccount?: string;
  /** Whether the run may have children, which end with it. Default: it may. */
  readonly hasDelegated?: boolean;
  readonly hasJournal?: boolean;
  readonly hasServerAccess?: boolean;
  /** As its worker knows it, with what is held by now: it is not read again. Default: it is read. */
  readonly run?: RunRecord;
};

/**
 * Ends a run: last events, quota, closing event, state and money in one transaction. A cancel that came first wins
 * over a completion. False when another worker has the run or it has ended. Safe to repeat.
 */
export async function finishRun(core: Core, finish: Finish): Promise<boolean> {
  if (finish.hasDelegated === false && (await finishUnlocked(core, finish))) {
    core.signals.publish(finish.runId);
    return true;
  }
  const lane = finish.billingAccount === undefined ? {} : { lane: finish.billingAccount };
  const cancelled = await core.store.transact(async (tx) => {
    const run = await tx.runs.lock(finish.runId);
    if (run === null || run.fence !== finish.fence) return null;
    if (run.status !== "running" && run.status !== "cancelling") return null;
    const ending = settleRace(run, finish.ending);
    return await endRun(core, tx, { ...finish, run, ending });
  }, lane);
  if (cancelled === null) return false;
  core.signals.publish(finish.runId);
  announce(core, cancelled);
  return true;
}

/** Ends a run without children in one write. False, and nothing done, where that is not possible. */
async function finishUnlocked(core: Core, finish: Finish): Promise<boolean> {
  return await core.store.transact(
    async (tx) => {
      // The write itself refuses a run that has changed meanwhile.
      const run = finish.run ?? (await tx.runs.find(finish.runId));
      if (run === null || run.fence !== finish.fence || run.status !== "running") return false;
      return await endUnlocked(core, tx, { ...finish, run });
    },
    { isOneWrite: true },
  );
}

function settleRace(run: RunRecord, ending: RunEnding): RunEnding {
  return run.status === "cancelling" && ending.status === "completed" ? cancelledEnding : ending;
}
