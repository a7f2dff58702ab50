// Refunds of failed runs: always by the service's own fault, a few times a day by what a caller can produce.
// Why: docs/decisions/035-refunds-are-counted.md

import { assertNever } from "../../../base/assert-never.ts";
import type { RefundWithheldReason, RunCause } from "../../../contract/runs/run.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { type FailureReason, failureFaults } from "./failure.ts";
import type { RunEnding } from "./run-machine.ts";
import type { RunRecord } from "./run-record.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Of runs that failed by what a caller can produce. Their refunds are stored by cause, those of the service's own faults by reason. */
const countedCauses = ["backend_error", "spawn_failed"] as const satisfies readonly RunCause[];

export type Refund = {
  readonly microUsd: number;
  /** Null where nothing is refunded. */
  readonly reason: RunCause | FailureReason | null;
  /** Why nothing is refunded though the cause is one that is. Else null. */
  readonly withheldReason: RefundWithheldReason | null;
};

/** Decides on the refund of `gross` micro-USD. The caller holds the run's lock, and writes the ending in this transaction. */
export async function decideRefund(
  core: Core,
  tx: StoreTransaction,
  { run, ending, gross }: { run: RunRecord; ending: RunEnding; gross: number },
): Promise<Refund> {
  if (ending.status !== "failed" || gross === 0) return noRefund(null);
  const fault = failureFaults[ending.reason];
  if (fault === "terms") return noRefund(null);
  if (ending.chargedFor !== undefined) return noRefund(ending.chargedFor);
  switch (fault) {
    case "service":
      return { microUsd: gross, reason: ending.reason, withheldReason: null };
    case "caller": {
      const now = core.clock.now();
      const { billingAccount } = run;
      const since = now - (now % DAY_MS);
      const refunds = await tx.ledger.countRefunds({ billingAccount, since, causes: countedCauses });
      if (refunds >= core.policy.refundsPerDay) return noRefund("refund_limit");
      return { microUsd: gross, reason: ending.cause, withheldReason: null };
    }
    default:
      return assertNever(fault);
  }
}

function noRefund(withheldReason: RefundWithheldReason | null): Refund {
  return { microUsd: 0, reason: null, withheldReason };
}

/** For the run's reader: that a failed run was charged, and why. "" where there is nothing to say. */
export function chargedText(core: Core, { withheldReason }: Pick<Refund, "withheldReason">): string {
  switch (withheldReason) {
    case null:
    case "output_schema":
      return "";
    case "answered":
      return " What it used was charged: it had answered before.";
    case "refund_limit":
      return ` It was charged: ${core.policy.refundsPerDay} failed runs a day (UTC) are refunded, and there were as many today.`;
    default:
      return assertNever(withheldReason);
  }
}
