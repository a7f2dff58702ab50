// The state machine of a run's end, and the postings of it. Pure.
//
//   queued → running → completed | failed | cancelled
//               ↘ cancelling ↗

import type { RefundWithheldReason, RunCause, SpendingStop, StopReason } from "../../../contract/runs/run.ts";
import type { FailureReason } from "./failure.ts";

/** Why a run was cancelled. */
export type CancelCause = "user_stop" | "agent_deleted";

/** The ending of a cancelled run. */
export type Cancelled = { readonly status: "cancelled"; readonly cause: CancelCause };

export type RunEnding =
  | { readonly status: "completed"; readonly stopReason: StopReason }
  | {
      readonly status: "failed";
      readonly cause: RunCause;
      /** More exact than the cause: says whose fault it was. */
      readonly reason: FailureReason;
      readonly message: string;
      readonly retryable: boolean;
      /** What was consumed is charged, whatever the cause: the request's own terms led to it, or it was answered. */
      readonly chargedFor?: RefundWithheldReason;
      /** The limit that left nothing for a first call of the model; or the run lost too many workers. */
      readonly stopReason?: SpendingStop | "poison";
      /** Its model's provider is away, and the run could go on once that answers again. */
      readonly isProviderAway?: true;
    }
  | Cancelled;

/** Why it stopped by itself; null where it did not. */
export function stopReasonOf(ending: RunEnding): StopReason | null {
  return ending.status === "cancelled" ? null : (ending.stopReason ?? null);
}

/** Whether the run costs nothing, not even its fee: no model worked on it, and not by its own limits. */
export function isFree(ending: RunEnding): boolean {
  const stop = stopReasonOf(ending);
  return stop === "insufficient_credits" || stop === "no_model";
}

/** Whether the billing account could not pay for the rest of the run, or for all of it. */
export function isShortOfCredits(ending: RunEnding): boolean {
  const stop = stopReasonOf(ending);
  return stop === "credits" || stop === "insufficient_credits";
}

/** The ending of a cancelled run. Where its agent was deleted the run says so, and ends with that cause. */
export const cancelledEnding: Cancelled = { status: "cancelled", cause: "user_stop" };

/** The ending of a run whose agent is no more. */
export const deletedEnding: Cancelled = { status: "cancelled", cause: "agent_deleted" };

/** The ending of a run whose worker, on another node, sends no heartbeat any more. */
export const stalledEnding: RunEnding = {
  status: "failed",
  cause: "stalled",
  reason: "stalled",
  message: "The worker of this run was not heard of any more. Nothing was charged. Run it again.",
  retryable: true,
};

/** The ending of a run that has lost one worker after the other. `isKept`: what it had changed is among its events. */
export function poisonedEnding({ isKept }: { readonly isKept: boolean }): RunEnding {
  const changes = isKept ? "what it had changed is kept" : "nothing that it had changed is kept";
  return {
    status: "failed",
    cause: "stalled",
    reason: "stalled",
    message: `The run ended after five lost workers in a row; ${changes}. Nothing was charged. Tell the operator of this service.`,
    retryable: false,
    stopReason: "poison",
  };
}

/** The ending of a run whose worker's process has ended. */
export const interruptedEnding: RunEnding = {
  status: "failed",
  cause: "interrupted",
  reason: "interrupted",
  message: "The service stopped while this run was at work. Nothing was charged. Run it again.",
  retryable: true,
};
