// Sums of runs' costs, by role and by agent.

import type { Core } from "../../core.ts";
import { chargeInCredits } from "../../money/ledger.ts";
import type { RunRecord } from "../../runs/run-record.ts";
import { type ModelRole, modelRoles, sumOf } from "../../runs/usage.ts";
import type { CostQuery } from "../placed-runs/store-port.ts";

const PAGE = 500;

export type CostSums = {
  readonly credits: number;
  readonly grossMicroUsd: number;
  readonly refundedMicroUsd: number;
  readonly tokens: number;
  readonly runs: number;
};
type RoleSums = { readonly microUsd: number; readonly tokens: number; readonly calls: number };

export type Costs = CostSums & {
  readonly byRole: ReadonlyMap<ModelRole, RoleSums>;
  /** The most expensive first. */
  readonly byAgent: readonly (CostSums & { readonly agentId: string })[];
};

const nothing: CostSums = { credits: 0, grossMicroUsd: 0, refundedMicroUsd: 0, tokens: 0, runs: 0 };

/** Of runs and what they delegated; those that have not ended count as runs, and cost nothing yet. */
export async function sumCosts(core: Core, query: Omit<CostQuery, "after" | "limit">): Promise<Costs> {
  let all = nothing;
  const byRole = new Map<ModelRole, RoleSums>();
  const byAgent = new Map<string, CostSums>();
  for (let after: string | null = null; ; ) {
    const page: readonly RunRecord[] = await core.store.committed.workspaceRuns.listForCosts({
      ...query,
      after,
      limit: PAGE,
    });
    for (const run of page) {
      all = added(all, run);
      byAgent.set(run.agentId, added(byAgent.get(run.agentId) ?? nothing, run));
      for (const role of modelRoles) addRole(byRole, role, run);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.id;
  }
  const agents = [...byAgent].map(([agentId, sums]) => ({ agentId, ...sums }));
  return { ...all, byRole, byAgent: agents.sort((one, other) => other.grossMicroUsd - one.grossMicroUsd) };
}

function added(sums: CostSums, { usage, grossMicroUsd, refundedMicroUsd }: RunRecord): CostSums {
  return {
    credits: sums.credits + chargeInCredits(grossMicroUsd - refundedMicroUsd),
    grossMicroUsd: sums.grossMicroUsd + grossMicroUsd,
    refundedMicroUsd: sums.refundedMicroUsd + refundedMicroUsd,
    tokens: sums.tokens + (usage === null ? 0 : sumOf(usage, "tokens")),
    runs: sums.runs + 1,
  };
}

function addRole(byRole: Map<ModelRole, RoleSums>, role: ModelRole, { usage }: RunRecord): void {
  const used = usage?.roles[role];
  if (used === undefined) return;
  const { microUsd, tokens, calls } = byRole.get(role) ?? { microUsd: 0, tokens: 0, calls: 0 };
  byRole.set(role, {
    microUsd: microUsd + used.microUsd,
    tokens: tokens + used.tokens,
    calls: calls + used.calls,
  });
}
