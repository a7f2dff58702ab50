// The sums of runs' costs as the contract shows them. Pure.

import type { CostsView } from "../../../contract/workspaces/workspace/workspace.ts";
import { creditsOf } from "../../core/money/ledger.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { CostSums, Costs } from "../../core/workspaces/costs/sum-costs.ts";
import type { CostSpan } from "../../core/workspaces/costs/workspace-costs.ts";

export function toCosts(costs: Costs, { since, until }: CostSpan): CostsView {
  const byRole = [...costs.byRole].map(([role, { microUsd, tokens, calls }]) => [
    role,
    { credits: creditsOf(microUsd), micro_usd: microUsd, tokens, calls },
  ]);
  return {
    ...sumsOf(costs),
    by_role: Object.fromEntries(byRole),
    by_agent: costs.byAgent.map((one) => ({ agent_id: one.agentId, ...sumsOf(one) })),
    since: since === null ? null : isoTime(since),
    until: until === null ? null : isoTime(until),
  };
}

function sumsOf({ credits, grossMicroUsd, refundedMicroUsd, tokens, runs }: CostSums) {
  return { credits, gross_micro_usd: grossMicroUsd, refunded_micro_usd: refundedMicroUsd, tokens, runs };
}
