// What a worker does to a run: take it, append to its stream, keep it alive, end it. Each step is one transaction and
// wakes the readers after it.

import type { RunStatus } from "../../contract/run.ts";
import type { RunEvent } from "../../contract/run-event.ts";
import { offerClaim } from "./claim-url.ts";
import type { Core } from "./core.ts";
import { balanceInCredits, EARNED, HELD, RUN_FEE_MICRO_USD } from "./ledger.ts";
import type { StoreTransaction } from "./ports/store.ts";
import type { PostingKind, RunInput, RunRecord } from "./records.ts";
import { type Ending, refundReasonOf, type Usage } from "./run-machine.ts";

export type TakenRun = { readonly run: RunRecord; readonly input: RunInput };

/** Takes a queued run, or the oldest one there is, and opens its stream. Null when it is not queued any more. */
export async function takeRun(core: Core, runId: string | "oldest"): Promise<TakenRun | null> {
  const taken = await core.store.transact(async (tx) => {
    const now = core.clock.now();
    const started = await (runId === "oldest" ? tx.startOldestRun({ now }) : tx.startRun({ runId, now }));
    if (started === null) return null;
    const { id, threadId, fence } = started.run;
    const opening: RunEvent = { type: "RUN_STARTED", threadId, runId: id };
    await tx.appendEvents({ runId: id, fence, now, jsons: [JSON.stringify(opening)] });
    return started;
  });
  if (taken !== null) core.signals.publish(taken.run.id);
  return taken;
}

/** Appends to the stream. Returns the run's state, or null when the run is another worker's or has ended. */
export async function appendRunEvents(
  core: Core,
  batch: { runId: string; fence: number; events: readonly RunEvent[] },
): Promise<RunStatus | null> {
  const { runId, fence, events } = batch;
  const jsons = events.map((event) => JSON.stringify(event));
  const appended = await core.store.transact((tx) =>
    tx.appendEvents({ runId, fence, now: core.clock.now(), jsons }),
  );
  core.signals.publish(runId);
  return appended?.status ?? null;
}

/** Says that the worker lives. Returns the run's state, or null when the run is another worker's or has ended. */
export async function beatRun(core: Core, beat: { runId: string; fence: number }): Promise<RunStatus | null> {
  return await core.store.transact((tx) => tx.heartbeat({ ...beat, now: core.clock.now() }));
}

export type Finish = {
  readonly runId: string;
  readonly fence: number;
  /** What is still to be appended; leaves nothing open. */
  readonly events: readonly RunEvent[];
  readonly ending: Ending;
  readonly usage: Usage;
};

/**
 * Ends a run: last events, quota, closing event, state and money in one transaction. A cancel that came first wins
 * over a completion. False when the run is another worker's or has ended. Safe to repeat.
 */
export async function finishRun(core: Core, finish: Finish): Promise<boolean> {
  const isFinished = await core.store.transact(async (tx) => {
    const run = await tx.lockRun(finish.runId);
    if (run === null || run.fence !== finish.fence) return false;
    if (run.status !== "running" && run.status !== "cancelling") return false;
    const ending = settleRace(run, finish.ending);
    await endRun(core, tx, { ...finish, run, ending });
    return true;
  });
  if (isFinished) core.signals.publish(finish.runId);
  return isFinished;
}

/** The part of every ending that touches the store; the caller holds the run's lock. */
export async function endRun(
  core: Core,
  tx: StoreTransaction,
  end: { run: RunRecord; events: readonly RunEvent[]; ending: Ending; usage: Usage },
): Promise<void> {
  const { run, ending, usage } = end;
  const now = core.clock.now();
  const settled = await settle(core, tx, { run, ending });
  const claimUrl = settled.balance < RUN_FEE_MICRO_USD ? await offerClaim(core, tx, run.agentId) : null;
  const events: RunEvent[] = [
    ...end.events,
    {
      type: "CUSTOM",
      name: "quota",
      value: { credits_remaining: balanceInCredits(settled.balance), claim_url: claimUrl },
    },
    closingEvent(run, ending),
  ];
  const jsons = events.map((event) => JSON.stringify(event));
  await tx.appendEvents({ runId: run.id, fence: run.fence, now, jsons });
  await tx.updateRun(run.id, {
    status: ending.status,
    endedAt: now,
    cause: ending.status === "completed" ? null : ending.cause,
    retryable: ending.status === "failed" && ending.retryable,
    stopReason: ending.status === "completed" ? ending.stopReason : null,
    tokens: usage.tokens,
    modelCalls: usage.calls,
    grossMicroUsd: settled.gross,
    refundedMicroUsd: settled.refunded,
    refundReason: settled.refunded === 0 ? null : refundReasonOf(ending),
  });
  if (run.origin === "schedule") await tx.finishSchedule(run.id);
}

function settleRace(run: RunRecord, ending: Ending): Ending {
  return run.status === "cancelling" && ending.status === "completed"
    ? { status: "cancelled", cause: "user_stop" }
    : ending;
}

/** Turns the hold into what is owed: a run that never started costs nothing, our own faults are given back. */
async function settle(
  core: Core,
  tx: StoreTransaction,
  { run, ending }: { run: RunRecord; ending: Ending },
): Promise<{ gross: number; refunded: number; balance: number }> {
  const now = core.clock.now();
  const move = async (kind: PostingKind, from: string, to: string, microUsd: number) => {
    if (microUsd === 0) return;
    const posting = { id: core.random.uuid(now), at: now, kind, from, to, microUsd, runId: run.id };
    if (!(await tx.post(posting))) throw new Error(`Run ${run.id}: the ledger refused its own ${kind}.`);
  };
  const gross = run.startedAt === null ? 0 : Math.min(RUN_FEE_MICRO_USD, run.holdMicroUsd);
  const refunded = refundReasonOf(ending) === null ? 0 : gross;
  await move("charge", HELD, EARNED, gross);
  await move("release", HELD, run.payer, run.holdMicroUsd - gross);
  await move("refund", EARNED, run.payer, refunded);
  return { gross, refunded, balance: (await tx.findBalance(run.payer)) ?? 0 };
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
