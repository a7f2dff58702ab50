// A stored agent as the contract shows it. Pure.

import { type Agent as AgentResource, agentSchema } from "../../../contract/agents/agent.ts";
import { policyOf } from "../../../contract/egress.ts";
import type { Agent } from "../../core/agents/agent.ts";
import type { Policy } from "../../core/core.ts";
import { viewOf } from "./view-of.ts";

const shownAgent = viewOf<Agent, "accountId" | "repository">()(agentSchema);

/** Throws on an agent without an account: only its repository's jobs know that one. */
export function toAgent(agent: Agent, policy: Pick<Policy, "backend" | "defaultModel">): AgentResource {
  const { id, accountId, backend, repository, ciPolicy, egress } = agent;
  if (accountId === null) throw new TypeError(`Agent ${id} has no account to show it to.`);
  return shownAgent(agent, {
    user_id: accountId,
    // An agent keeps its backend when the service gets another.
    model: agent.model ?? (backend === policy.backend ? policy.defaultModel : backend),
    entity_disk_id: id,
    status: undefined,
    ci_policy: repository === null ? undefined : ciPolicy,
    egress: egress === null ? undefined : policyOf(egress),
  });
}
