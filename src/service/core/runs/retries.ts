// Times at which a parked run that nobody has to continue is tried again, and whether a try had an answer. Pure.
// Why: docs/decisions/141-a-run-is-parked.md

import { assertNever } from "../../../base/assert-never.ts";
import type { ParkReason } from "../../../contract/runs/run.ts";
import { nextDayAt } from "./day-cap.ts";
import type { ParkedState } from "./run-record.ts";
import { sumOf, type Usage } from "./usage.ts";

/** After an outage: the first try, each later one after twice the time, and never after more than this. */
const FIRST_TRY_MS = 5 * 60_000;
const MAX_WAIT_MS = 4 * 60 * 60_000;
/** A try that cannot begin, for instance because no room is left: the next look. */
const POSTPONED_MS = 30 * 60_000;

/** When it is tried for the next time. Null where somebody has to continue it. `tries`: those in a row that had no answer. */
export function nextTryAt(
  reason: ParkReason,
  { now, tries }: { readonly now: number; readonly tries: number },
): number | null {
  switch (reason) {
    case "day_cap":
      return nextDayAt(now);
    case "provider_unavailable":
      return now + Math.min(FIRST_TRY_MS * 2 ** tries, MAX_WAIT_MS);
    case "question":
    case "max_tokens":
    case "max_cost":
    case "max_turns":
    case "time_limit":
    case "credits":
      return null;
    default:
      return assertNever(reason);
  }
}

/** The same run, which could not begin now. */
export function postponed(parked: ParkedState, now: number): ParkedState {
  return { ...parked, nextTryAt: now + POSTPONED_MS };
}

/** Whether a model has answered since the run was parked so. */
export function hasAnswered(parked: Pick<ParkedState, "usage">, usage: Usage): boolean {
  return sumOf(usage, "calls") > sumOf(parked.usage, "calls");
}
