// An account's agents after they were made: listed, read, changed, stopped, retired.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { UpdateAgentRequest } from "../../../contract/agents/agent.ts";
import { entriesOf } from "../../../contract/egress.ts";
import { actorOf, type Caller, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { Core } from "../core.ts";
import { endJobGrants } from "../oauth/job-grants.ts";
import { fieldsOn } from "../ports/record-fields.ts";
import type { Agent } from "./agent.ts";
import { agentSettingsUrl } from "./agent-settings-url.ts";
import { auditAct } from "./audit-act.ts";
import { mayUseAgent, reachAgent } from "./reach-agent.ts";
import type { AgentNameRefusal, AgentPolicyRefusal, AgentRefusal } from "./refusals.ts";
import type { AgentChange } from "./store-port.ts";

const fieldsOfAgent = fieldsOn<Agent>();

type AgentQuery = { readonly caller: Caller; readonly agentId: string };
type AgentResult = Promise<Result<Agent, AgentRefusal | ClassRefusal>>;

/** The caller's agents, newest first, retired ones too. */
export async function listAgents(
  core: Core,
  query: { caller: Caller; withIndependent: boolean },
): Promise<Result<readonly Agent[], ClassRefusal>> {
  const { caller, withIndependent } = query;
  if (caller.kind !== "account") return refused({ reason: "account_needed" });
  return ok(await core.store.committed.agents.list({ accountId: caller.accountId, withIndependent }));
}

/** An agent of the caller's account. */
export async function findAgent(core: Core, query: AgentQuery): AgentResult {
  if (query.caller.kind !== "account") return refused({ reason: "account_needed" });
  return await reachAgent(core, query);
}

/** The account's one agent of this name that is not retired. */
export async function findAgentByName(
  core: Core,
  query: { caller: Caller; name: string },
): Promise<Result<Agent, ClassRefusal | AgentNameRefusal>> {
  const { caller, name } = query;
  const listed = await listAgents(core, { caller, withIndependent: true });
  if (!listed.ok) return listed;
  const named = listed.value.filter((agent) => agent.name === name && agent.retiredAt === null);
  const [agent] = named;
  if (agent === undefined) return refused({ reason: "agent_name_unknown", name });
  if (named.length === 1) return ok(agent);
  return refused({ reason: "agent_name_ambiguous", name, ids: named.map(({ id }) => id) });
}

/**
 * Changes what the request names, and nothing else. Only the account's owner sets which CI jobs may run the
 * agent and what its runs may reach, and that leaves an audit entry. Safe to repeat.
 */
export async function updateAgent(
  core: Core,
  request: AgentQuery & { readonly body: UpdateAgentRequest; readonly requestId: string },
): Promise<Result<Agent, AgentRefusal | ClassRefusal | AgentPolicyRefusal>> {
  const found = await findAgent(core, request);
  if (!found.ok) return found;
  const { caller, agentId, body, requestId } = request;
  const { egress, ...rest } = body;
  const { ci_policy: ciPolicy } = rest;
  if (ciPolicy !== undefined && !isOwner(caller)) {
    const url = agentSettingsUrl(core, agentId);
    return refused({ reason: "owner_needed", what: "set which CI jobs may run an agent", url });
  }
  if (egress !== undefined && !isOwner(caller)) {
    const url = agentSettingsUrl(core, agentId);
    return refused({ reason: "owner_needed", what: "set what an agent may reach of the network", url });
  }
  if (ciPolicy !== undefined && found.value.repository === null) {
    return refused({ reason: "agent_without_repository", agentId });
  }
  const change: AgentChange = {
    ...fieldsOfAgent(rest),
    ...(egress === undefined ? {} : { egress: egress === null ? null : entriesOf(egress) }),
  };
  if (Object.keys(change).length === 0) return found;
  return await core.store.transact(async (tx): Promise<Result<Agent, AgentRefusal>> => {
    const agent = await tx.agents.lock(agentId);
    if (agent === null) return refused({ reason: "agent_not_found", agentId });
    // The agent may have been released in the meantime: a change by its last owner must not apply to the next one.
    if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
    await tx.agents.update(agentId, change);
    const { accountId } = agent;
    if (ciPolicy !== undefined && ciPolicy?.mint_keys !== true && accountId !== null) {
      await endJobGrants(core, tx, { accountId, agentId });
    }
    if (ciPolicy !== undefined || egress !== undefined)
      await auditAct(core, tx, { action: "policy", outcome: "ok", by: actorOf(caller), agent, requestId });
    return ok({ ...agent, ...change });
  });
}
