// How a run ends, and what that costs. Pure.
//
//   queued → running → completed | failed | cancelled
//               ↘ cancelling ↗

import type { RunCause } from "../../../contract/runs/run.ts";

export type Ending =
  | { readonly status: "completed"; readonly stopReason: string }
  | {
      readonly status: "failed";
      readonly cause: RunCause;
      readonly message: string;
      readonly retryable: boolean;
      /** The request's own terms led to it: what was consumed is charged, whatever the cause. */
      readonly isCharged?: true;
    }
  | { readonly status: "cancelled"; readonly cause: "user_stop" | "agent_deleted" };

/** Endings by the service's fault: what the run consumed is refunded. */
const refundedCauses: ReadonlySet<RunCause> = new Set([
  "backend_error",
  "spawn_failed",
  "stalled",
  "interrupted",
]);

/** The cause to refund for, or null when the billing account pays. */
export function refundReasonOf(ending: Ending): RunCause | null {
  if (ending.status !== "failed" || ending.isCharged === true) return null;
  return refundedCauses.has(ending.cause) ? ending.cause : null;
}

/** Why a run is charged although its cause is one that is refunded. Null for every other run. */
export function withheldReasonOf(run: {
  readonly cause: RunCause | null;
  readonly grossMicroUsd: number;
  readonly refundedMicroUsd: number;
}): string | null {
  const isPaid = run.grossMicroUsd > 0 && run.refundedMicroUsd === 0;
  return isPaid && run.cause !== null && refundedCauses.has(run.cause) ? "output_schema" : null;
}

/** The ending of a cancelled run. */
export const cancelledEnding: Ending = { status: "cancelled", cause: "user_stop" };

/** The ending of a run whose worker, on another node, sends no heartbeat any more. */
export const stalledEnding: Ending = {
  status: "failed",
  cause: "stalled",
  message: "The worker of this run was not heard of any more. Nothing was charged. Run it again.",
  retryable: true,
};

/** The ending of a run whose worker's process has ended. */
export const interruptedEnding: Ending = {
  status: "failed",
  cause: "interrupted",
  message: "The service stopped while this run was at work. Nothing was charged. Run it again.",
  retryable: true,
};
