// Whether a run that failed by the service's fault is refunded. What a caller can bring about is refunded a few times a day.
// Why: docs/decisions/035-refunds-are-counted.md

import { assertNever } from "../../../base/assert-never.ts";
import type { RefundWithheldReason, RunCause } from "../../../contract/runs/run.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { Ending } from "../runs/run-machine.ts";
import type { RunRecord } from "../runs/run-record.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Endings by the service's fault: what the run consumed is refunded. */
const refundedCauses: ReadonlySet<RunCause> = new Set([
  "backend_error",
  "spawn_failed",
  "stalled",
  "interrupted",
]);

/** Those that a caller can bring about, unless the ending says that it was the service's fault: with a repository that cannot be cloned or an agent that ends itself. */
const countedCauses = ["backend_error", "spawn_failed"] as const satisfies readonly RunCause[];

export type Refund = {
  readonly microUsd: number;
  /** Null where nothing is refunded. */
  readonly reason: RunCause | null;
  /** Why nothing is refunded though the cause is one that is. Else null. */
  readonly withheldReason: RefundWithheldReason | null;
};

/** Decides on the refund of `gross` micro-USD. The caller holds the run's lock, and writes the ending in this transaction. */
export async function decideRefund(
  core: Core,
  tx: StoreTransaction,
  { run, ending, gross }: { run: RunRecord; ending: Ending; gross: number },
): Promise<Refund> {
  const cause = ending.status === "failed" && refundedCauses.has(ending.cause) ? ending.cause : null;
  if (ending.status !== "failed" || cause === null || gross === 0) return noRefund(null);
  if (ending.chargedFor !== undefined) return noRefund(ending.chargedFor);
  if (ending.isServicesFault !== true && countedCauses.some((counted) => counted === cause)) {
    const now = core.clock.now();
    const { billingAccount } = run;
    const since = now - (now % DAY_MS);
    const refunds = await tx.ledger.countRefunds({ billingAccount, since, causes: countedCauses });
    if (refunds >= core.policy.refundsPerDay) return noRefund("refund_limit");
  }
  return { microUsd: gross, reason: cause, withheldReason: null };
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
