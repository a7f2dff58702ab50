// A stored agent as the contract shows it. Pure.

import type { Agent as AgentResource } from "../../../contract/agents/agent.ts";
import type { Agent } from "../../core/agents/agent.ts";
import type { Rates } from "../../core/money/rates.ts";

/** Throws on an agent without an account: only its repository's jobs know that one. */
export function toAgent(agent: Agent, rates: Pick<Rates, "models">): AgentResource {
  const { id, accountId, kind, advisorMaxSpendMicroUsd: cap, repository, ciPolicy, retiredAt } = agent;
  if (accountId === null) throw new TypeError(`Agent ${id} has no account to show it to.`);
  return {
    id,
    user_id: accountId,
    name: agent.name,
    backend: agent.backend,
    model: agent.model ?? rates.models[0].id,
    config: agent.config,
    entity_disk_id: id,
    created_at: new Date(agent.createdAt).toISOString(),
    ...(kind === null ? {} : { kind }),
    ...(cap === null ? {} : { advisor_max_spend_micro_usd: cap }),
    ...(repository === null ? {} : { ci_policy: ciPolicy }),
    ...(retiredAt === null ? {} : { retired_at: new Date(retiredAt).toISOString() }),
  };
}
