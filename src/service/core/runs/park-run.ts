// Parks a run that would end for something that can still be given: nobody works on it, it holds no more than it has used, and it
// goes on where somebody continues it. Ends those that nobody continues.
// Why: docs/decisions/141-a-run-is-parked.md

import type { ChecksState } from "../../../contract/runs/checks.ts";
import { type Parked, type ParkReason, parkStops } from "../../../contract/runs/run.ts";
import { PARKED_EVENT, type RunEvent, type WrittenEvent } from "../../../contract/runs/run-event.ts";
import type { Core } from "../core.ts";
import { HELD } from "../money/ledger.ts";
import { costOfTime } from "../money/run-price.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { announce, type CancelledRuns, cancelChildren, endRun } from "./end-run.ts";
import { providerFailures } from "./failure.ts";
import { hasAnswered, nextTryAt } from "./retries.ts";
import type { RunEnding } from "./run-machine.ts";
import type { ParkedFor, ParkedState, RunInput, RunRecord } from "./run-record.ts";
import { sumOf, type Usage } from "./usage.ts";

/** After that a parked run ends, with what it has done. */
export const PARKED_DAYS = 14;
const PARKED_MS = PARKED_DAYS * 24 * 60 * 60 * 1000;

/** What a run that would end so waits for instead; null where it ends. */
export function parkedFor(
  ending: RunEnding,
  {
    mayPark,
    modelAccess,
    mcpAccess,
    dayCap,
  }: Pick<RunInput, "mayPark" | "modelAccess" | "mcpAccess" | "dayCap">,
): ParkedFor | null {
  // The access that a job brought ends soon after the job, and only jobs of the same CI run may renew it.
  if (mayPark !== true || modelAccess !== undefined || mcpAccess !== undefined) return null;
  if (ending.status === "failed") {
    const reason =
      ending.isProviderAway === true ? providerFailures.find((one) => one === ending.reason) : null;
    return reason == null
      ? null
      : { reason: "provider_unavailable", failure: { reason, message: ending.message } };
  }
  const stop = ending.status === "completed" ? parkStops.find((one) => one === ending.stopReason) : undefined;
  if (stop === "max_cost" && dayCap !== undefined) return { reason: "day_cap" };
  return stop === undefined ? null : { reason: stop };
}

/**
 * What a run that was tried again by itself, and would fail before its model has answered, waits for again. The failure may be of
 * something else that is away: a try loses nothing.
 */
export function parkedAgainFor(
  ending: RunEnding,
  { retried }: Pick<RunInput, "retried">,
  usage: Usage,
): ParkedFor | null {
  if (retried === undefined || hasAnswered(retried, usage)) return null;
  return ending.status === "failed" && ending.retryable ? retried : null;
}

type Park = {
  readonly runId: string;
  readonly fence: number;
  readonly waitsFor: ParkedFor;
  /** The last events. They close every open message, call and step. */
  readonly events: readonly WrittenEvent[];
  readonly usage: Usage;
  readonly workedMs: number;
  /** Null: its stream says nothing of them. */
  readonly checks?: ChecksState | null;
};

/**
 * Parks a run that this worker has. False where it could not: another worker has it, it is cancelled, or it has no journal. Safe to
 * repeat.
 */
export async function parkRun(core: Core, park: Park): Promise<boolean> {
  const { runId, fence, events } = park;
  const cancelled = await core.store.transact(async (tx): Promise<CancelledRuns | null> => {
    const run = await tx.runs.lock(runId);
    if (run === null || run.fence !== fence || run.status !== "running") return null;
    if ((await tx.journal.listKinds(runId)).length === 0) return null;
    const children = await cancelChildren(core, tx, runId);
    const now = core.clock.now();
    const input = await tx.runs.findInput(runId);
    const parked = parkedState(park, { now, retried: input?.retried });
    const { usage, workedMs } = parked;
    const told: RunEvent = { type: "CUSTOM", name: PARKED_EVENT, value: shownParked(parked) };
    const jsons = [...events, told].map((event) => JSON.stringify(event));
    await tx.events.append({ runId, fence, now, jsons });
    const owed = costOfTime(run.price, workedMs) + sumOf(usage, "microUsd");
    const returned = Math.max(0, run.holdMicroUsd - Math.ceil(owed));
    await tx.runs.update(runId, {
      parked,
      stopReason: parked.reason,
      holdMicroUsd: run.holdMicroUsd - returned,
      fence: fence + 1,
    });
    if (returned > 0) {
      const id = core.random.uuid(now);
      const to = run.billingAccount;
      await tx.ledger.post({ id, at: now, kind: "release", from: HELD, to, microUsd: returned, runId });
    }
    return children;
  });
  if (cancelled === null) return false;
  core.signals.publish(runId);
  announce(core, cancelled);
  return true;
}

/** A try without an answer changes nothing: neither what the run has used, nor when it ends. */
function parkedState(
  { waitsFor, usage, workedMs, checks = null }: Park,
  { now, retried }: { readonly now: number; readonly retried: ParkedState | undefined },
): ParkedState {
  const isVain = retried !== undefined && !hasAnswered(retried, usage);
  const tries = isVain ? (retried.tries ?? 0) + 1 : 0;
  const next = nextTryAt(waitsFor.reason, { now, tries });
  const told = isVain ? retried : { usage, workedMs, ...(checks === null ? {} : { checks }) };
  return {
    ...what(waitsFor),
    since: now,
    // Nobody has continued it since.
    until: next !== null && retried !== undefined ? retried.until : now + PARKED_MS,
    usage: told.usage,
    workedMs: told.workedMs,
    ...(told.checks === undefined ? {} : { checks: told.checks }),
    ...(next === null ? {} : { nextTryAt: next, tries }),
  };
}

function what(waitsFor: ParkedFor): ParkedFor {
  const { reason } = waitsFor;
  return reason === "provider_unavailable" ? { reason, failure: waitsFor.failure } : { reason };
}

/** As readers of the run and of its stream get it. */
export function shownParked(parked: ParkedState): Parked {
  const { reason, since, until, nextTryAt: next } = parked;
  return {
    reason,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    ...(next === undefined ? {} : { next_try_at: new Date(next).toISOString() }),
    how_to_continue: waysToContinue[reason](
      next === undefined ? "" : `, next at ${new Date(next).toISOString()}`,
    ),
  };
}

const waysToContinue: Readonly<Record<ParkReason, (next: string) => string>> = {
  question: () => "Answer the question: the run goes on with what it has done.",
  max_tokens: () => "Raise the run's limit of tokens (max_turn_tokens): it goes on with what it has done.",
  max_cost: () => "Raise the run's limit of cost (max_cost_usd): it goes on with what it has done.",
  max_turns: () => "Continue it: it gets as many turns again.",
  time_limit: () => "Continue it: it gets as much time again.",
  credits: () => "Add credits, then continue it: it goes on with what it has done.",
  provider_unavailable: (next) =>
    `It is tried again by itself${next}, and goes on with what it has done once the model's provider answers. Continue it to try now.`,
  day_cap: (next) =>
    `It goes on by itself${next}, where the owner's cap a day leaves something for it then. Continue it where it does before.`,
};

/**
 * Ends a parked run as it would have ended without being parked. The caller holds the run's lock, and announces what is
 * returned.
 */
export async function endParked(
  core: Core,
  tx: StoreTransaction,
  { run, parked }: { readonly run: RunRecord; readonly parked: ParkedState },
): Promise<CancelledRuns> {
  const { parked: _parked, ...unparked } = run;
  const { usage, workedMs, checks } = parked;
  const taken: RunRecord = { ...unparked, fence: run.fence + 1 };
  await tx.runs.update(run.id, { parked: null, fence: taken.fence });
  return await endRun(core, tx, {
    run: taken,
    events: [],
    ending: endingOf(parked),
    usage,
    workedMs,
    checks,
  });
}

function endingOf(parked: ParkedState): RunEnding {
  switch (parked.reason) {
    case "provider_unavailable":
      return { status: "failed", cause: "backend_error", ...parked.failure, retryable: true };
    case "day_cap":
      return { status: "completed", stopReason: "max_cost" };
    default:
      return { status: "completed", stopReason: parked.reason };
  }
}

/** Ends the parked runs whose time is over, and those that have no journal, as out of a backup. Returns how many. */
export async function endOverdue(core: Core): Promise<number> {
  let ended = 0;
  for (const runId of await core.store.committed.queue.listOverdue({ now: core.clock.now() })) {
    const cancelled = await core.store.transact(async (tx) => {
      const run = await tx.runs.lock(runId);
      if (run?.parked === undefined || run.status !== "running") return null;
      return await endParked(core, tx, { run, parked: run.parked });
    });
    if (cancelled === null) continue;
    ended += 1;
    core.signals.publish(runId);
    announce(core, cancelled);
  }
  return ended;
}
