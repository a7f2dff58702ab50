// Retires an agent of an account.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { Agent } from "../agents/agent.ts";
import { findAgent } from "../agents/manage-agent.ts";
import { mayUseAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import { resolveElsewhere } from "../approvals/request-approval.ts";
import { deleteUnneeded } from "../commit-uploads/pack-quota.ts";
import type { Core } from "../core.ts";
import { endJobGrants } from "../oauth/job-grants.ts";
import { type ManagerInUseRefusal, refuseManager } from "../workspaces/managed-workspaces.ts";

/**
 * Makes the agent refuse new work for ever; runs in flight continue. Commits that its jobs have sent are deleted, but for
 * those of runs in flight, which expire. The manager of a workspace is refused. Safe to repeat.
 */
export async function retireAgent(
  core: Core,
  query: { readonly caller: Caller; readonly agentId: string },
): Promise<Result<Agent, AgentRefusal | ClassRefusal | ManagerInUseRefusal>> {
  const found = await findAgent(core, query);
  if (!found.ok || found.value.retiredAt !== null) return found;
  const { id: agentId, accountId, repository } = found.value;
  return await core.store.transact(async (tx): Promise<Result<Agent, AgentRefusal | ManagerInUseRefusal>> => {
    const agent = await tx.agents.lock(agentId);
    if (agent === null) return refused({ reason: "agent_not_found", agentId });
    // It may have been released in the meantime.
    if (!mayUseAgent(query.caller, agent)) return refused({ reason: "agent_of_another", agentId });
    const free = await refuseManager(tx, agentId);
    if (!free.ok) return free;
    const change = { retiredAt: agent.retiredAt ?? core.clock.now() };
    await tx.agents.update(agentId, change);
    await resolveElsewhere(core, tx, { agentId, subject: null });
    if (repository !== null) {
      await tx.repositoryAccess.delete(agentId);
      const { issuer, id } = repository;
      await deleteUnneeded(core, tx, { agentId, repository: { issuer, id } });
      if (accountId !== null) await endJobGrants(core, tx, { accountId, agentId });
    }
    return ok({ ...agent, ...change });
  });
}
