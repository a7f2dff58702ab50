// An account's ledger and usage as the contract shows them. Pure.

import type { Ledger, UsageReport, UsageTotals } from "../../../contract/money/usage.ts";
import type { LedgerLines } from "../../core/accounts/read-ledger.ts";
import { creditsOf } from "../../core/money/ledger.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { SummedUsage } from "../../core/usage/read-usage.ts";
import type { UsageSums } from "../../core/usage/store-port.ts";

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
  return {
    by,
    from,
    to,
    rows: groups.map(({ key, name, ...sums }) => ({
      key,
      ...(name === undefined ? {} : { name }),
      ...totalsOf(sums),
    })),
    others: others === null ? null : totalsOf(others),
    total: totalsOf(total),
  };
}

function totalsOf(sums: UsageSums): UsageTotals {
  const { completed, failed, cancelled, delegated, tokens, grossMicroUsd, refundedMicroUsd } = sums;
  return {
    runs: { completed, failed, cancelled, delegated },
    checks: { passed: sums.checksPassed, failed: sums.checksFailed, none: sums.checksNone },
    tokens,
    gross_micro_usd: grossMicroUsd,
    refunded_micro_usd: refundedMicroUsd,
    credits: creditsOf(grossMicroUsd - refundedMicroUsd),
  };
}
