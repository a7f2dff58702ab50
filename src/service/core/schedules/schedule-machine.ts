// The states of a schedule and the moves between them. Pure.
//
//   awaiting_confirmation → pending ⇄ firing → dispatched → done
//             ↘               ↙ ↘
//               cancelled        failed (from firing)

import { type BackoffPolicy, nextDelayMs } from "../../../base/backoff.ts";
import type { ScheduleStatus } from "../../../contract/schedules/schedule.ts";

/** A deferred one-shot run, as stored. Times are milliseconds since the epoch. */
export type ScheduleRecord = {
  readonly id: string;
  readonly agentId: string;
  readonly status: ScheduleStatus;
  readonly prompt: string;
  readonly fireAt: number;
  /** The session that the request named; with null it is chosen when the schedule fires. */
  readonly pinnedSessionId: string | null;
  /** The session of the run, once there is one. */
  readonly sessionId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly lastError: string | null;
  /** The count of firings, the one in progress included. */
  readonly attempts: number;
  /** While `pending` or `firing`: when a scheduler has to act on it next. */
  readonly dueAt: number;
  /** The run that it started. */
  readonly runId: string | null;
  readonly createdAt: number;
  readonly lastFiredAt: number | null;
  readonly confirmedAt: number | null;
  /** The person who made it, or for whom an application did. Its run is theirs. Null: nobody who is known. */
  readonly madeBy: string | null;
};

/** The fields that a move may change. */
type ScheduleChange = Partial<
  Pick<
    ScheduleRecord,
    "status" | "sessionId" | "lastError" | "attempts" | "dueAt" | "runId" | "lastFiredAt" | "confirmedAt"
  >
>;

/** A move that happens only while the schedule is in the state of `from`. Of two callers, the second changes nothing. */
export type ScheduleMove = {
  readonly id: string;
  readonly from: Pick<ScheduleRecord, "status" | "attempts">;
  readonly change: ScheduleChange;
};

/** The time that a firing may take. After that its process or its store has failed, and another try takes it over. */
const FIRING_LEASE_MS = 30_000;
/** Five tries within about eight minutes. */
const RETRIES: BackoffPolicy = { attempts: 5, firstDelayMs: 30_000, maxDelayMs: 600_000 };

/** True when a scheduler has to fire it now: its time has come, or an earlier try was not finished. */
export function isDue(schedule: ScheduleRecord, now: number): boolean {
  return (schedule.status === "pending" || schedule.status === "firing") && schedule.dueAt <= now;
}

/** `pending → firing`, or another try after one that was not finished. */
export function firing(schedule: ScheduleRecord, now: number): ScheduleMove {
  return move(schedule, {
    status: "firing",
    attempts: schedule.attempts + 1,
    dueAt: now + FIRING_LEASE_MS,
  });
}

/** `firing → dispatched`: there is a run. */
export function dispatched(
  schedule: ScheduleRecord,
  run: { runId: string; sessionId: string; now: number },
): ScheduleMove {
  const { runId, sessionId, now } = run;
  return move(schedule, { status: "dispatched", runId, sessionId, lastFiredAt: now });
}

/** `firing → pending`, to be tried again; `firing → failed` when another try cannot help, or the last one was made. */
export function notDispatched(
  schedule: ScheduleRecord,
  refusal: { error: string; isPassing: boolean; now: number; random: number },
): ScheduleMove {
  const { error: lastError, isPassing, now, random } = refusal;
  const delayMs = isPassing ? nextDelayMs(RETRIES, { attempt: schedule.attempts, random }) : null;
  if (delayMs === null) return move(schedule, { status: "failed", lastError });
  return move(schedule, { status: "pending", lastError, dueAt: now + delayMs });
}

/** `awaiting_confirmation → pending`. Null when its time has passed, or it is in another state. */
export function confirmed(schedule: ScheduleRecord, now: number): ScheduleMove | null {
  if (schedule.status !== "awaiting_confirmation" || schedule.fireAt < now) return null;
  return move(schedule, { status: "pending", confirmedAt: now });
}

/** `awaiting_confirmation | pending → cancelled`. Null when it was fired, or has ended. */
export function cancelled(schedule: ScheduleRecord): ScheduleMove | null {
  const isOpen = schedule.status === "awaiting_confirmation" || schedule.status === "pending";
  return isOpen ? move(schedule, { status: "cancelled" }) : null;
}

function move(schedule: ScheduleRecord, change: ScheduleChange): ScheduleMove {
  const { id, status, attempts } = schedule;
  return { id, from: { status, attempts }, change };
}
