// An account's ledger and usage as the contract shows them. Pure.

import {
  isOfReviews,
  type Ledger,
  type UsageReport,
  type UsageTotals,
} from "../../../contract/money/usage.ts";
import type { LedgerLines } from "../../core/accounts/read-ledger.ts";
import { creditsOf } from "../../core/money/ledger.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { SummedUsage } from "../../core/usage/read-usage.ts";
import type { ReviewSums, UsageSums } from "../../core/usage/store-port.ts";

export function toLedger({ lines, closingMicroUsd, openingMicroUsd, next }: LedgerLines): Ledger {
  return {
    balance_micro_usd: closingMicroUsd,
    opening_micro_usd: openingMicroUsd,
    lines: lines.map(({ posting, changeMicroUsd, balanceMicroUsd }) => ({
      id: posting.id,
      at: isoTime(posting.at),
      kind: posting.kind,
      micro_usd: posting.microUsd,
      change_micro_usd: changeMicroUsd,
      balance_micro_usd: balanceMicroUsd,
      run_id: posting.runId,
      agent_id: posting.agentId,
    })),
    next,
  };
}

export function toUsage(
  { groups, others, total }: SummedUsage,
  { by, from, to }: Pick<UsageReport, "by" | "from" | "to">,
): UsageReport {
  const withReviews = isOfReviews(by);
  return {
    by,
    from,
    to,
    rows: groups.map(({ key, name, ...sums }) => ({
      key,
      ...(name === undefined ? {} : { name }),
      ...totalsOf(sums, { withReviews }),
    })),
    others: others === null ? null : totalsOf(others, { withReviews }),
    total: totalsOf(total, { withReviews: true }),
  };
}

function totalsOf(sums: UsageSums, { withReviews }: { readonly withReviews: boolean }): UsageTotals {
  const { completed, failed, cancelled, delegated, tokens, grossMicroUsd, refundedMicroUsd } = sums;
  return {
    runs: { completed, failed, cancelled, delegated },
    checks: { passed: sums.checksPassed, failed: sums.checksFailed, none: sums.checksNone },
    reviews: withReviews ? reviewsOf(sums) : null,
    tokens,
    gross_micro_usd: grossMicroUsd,
    refunded_micro_usd: refundedMicroUsd,
    credits: creditsOf(grossMicroUsd - refundedMicroUsd),
  };
}

function reviewsOf(sums: ReviewSums): NonNullable<UsageTotals["reviews"]> {
  const { pullRequests, reviews, findingsOpen: open, findingsFixed: fixed } = sums;
  const { findingsDeclined: declined, findingsWithdrawn: withdrawn } = sums;
  const standing = open + fixed + declined;
  return {
    pull_requests: pullRequests,
    reviews,
    found: standing + withdrawn,
    fixed,
    declined,
    withdrawn,
    open,
    resolution_rate: standing === 0 ? null : fixed / standing,
  };
}
