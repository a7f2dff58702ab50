// A stored agent as the contract shows it. Pure.

import type { Agent as AgentResource } from "../../../contract/agents/agent.ts";
import { policyOf } from "../../../contract/egress.ts";
import type { Agent } from "../../core/agents/agent.ts";
import type { Policy } from "../../core/core.ts";

/** Throws on an agent without an account: only its repository's jobs know that one. */
export function toAgent(agent: Agent, policy: Pick<Policy, "backend" | "defaultModel">): AgentResource {
  const {
    id,
    accountId,
    backend,
    kind,
    workspaceId,
    advisorMaxSpendMicroUsd: cap,
    repository,
    ciPolicy,
    egress,
    retiredAt,
  } = agent;
  if (accountId === null) throw new TypeError(`Agent ${id} has no account to show it to.`);
  return {
    id,
    user_id: accountId,
    name: agent.name,
    backend,
    // An agent keeps its backend when the service gets another.
    model: agent.model ?? (backend === policy.backend ? policy.defaultModel : backend),
    config: agent.config,
    entity_disk_id: id,
    created_at: new Date(agent.createdAt).toISOString(),
    ...(kind === null ? {} : { kind }),
    ...(workspaceId === null ? {} : { workspace_id: workspaceId }),
    ...(cap === null ? {} : { advisor_max_spend_micro_usd: cap }),
    ...(repository === null ? {} : { ci_policy: ciPolicy }),
    ...(egress === null ? {} : { egress: policyOf(egress) }),
    ...(retiredAt === null ? {} : { retired_at: new Date(retiredAt).toISOString() }),
  };
}
