// Releases a repository's agent from the account that claimed it. Done by the operator, at the account's request.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { AgentRepository } from "../agents/agent.ts";
import { auditAct } from "../agents/audit-act.ts";
import type { AgentPolicyRefusal, AgentRefusal } from "../agents/refusals.ts";
import { resolveElsewhere } from "../approvals/request-approval.ts";
import { nobody } from "../audit/audit-entry.ts";
import type { Core } from "../core.ts";
import { endJobGrants } from "../oauth/job-grants.ts";
import { endSchedulesOf } from "../schedules/end-schedules.ts";
import { type ManagerInUseRefusal, refuseManager } from "../workspaces/managed-workspaces.ts";

/** For the operator alone: no route answers it. */
export type ReleaseRefusal =
  | Extract<AgentRefusal, { reason: "agent_not_found" }>
  | AgentPolicyRefusal
  | ManagerInUseRefusal
  | { readonly reason: "agent_unclaimed"; readonly agentId: string };

export type Released = {
  readonly agentId: string;
  readonly repository: AgentRepository;
  /** The account that had claimed it. */
  readonly accountId: string;
  readonly cancelledSchedules: number;
};

/**
 * Takes a repository's agent from the account that claimed it. Sessions, runs and events stay with the agent; a run in
 * flight stays with its billing account. Schedules are cancelled and workflows deactivated, so that the next owner does
 * not pay for them. Write grants, the access to its repository, pending approvals and tokens of its jobs end. The account's policy on CI jobs is removed, because no one could change it. Session keys are freed,
 * so that the next owner does not continue an earlier session, journals of ended runs are deleted, and the agent leaves the workspaces that it is a member of; of one that it manages another manager has to be chosen first. Leaves an audit entry.
 */
export async function releaseClaim(
  core: Pick<Core, "store" | "clock" | "random">,
  request: { agentId: string; requestId: string },
): Promise<Result<Released, ReleaseRefusal>> {
  const { agentId, requestId } = request;
  return await core.store.transact(async (tx): Promise<Result<Released, ReleaseRefusal>> => {
    const agent = await tx.agents.lock(agentId);
    if (agent === null) return refused({ reason: "agent_not_found", agentId });
    const { repository, accountId } = agent;
    if (repository === null) return refused({ reason: "agent_without_repository", agentId });
    if (accountId === null) return refused({ reason: "agent_unclaimed", agentId });
    const free = await refuseManager(tx, agentId);
    if (!free.ok) return free;
    const now = core.clock.now();
    await tx.members.deleteOfAgent(agentId);
    await tx.agents.update(agentId, { accountId: null, ciPolicy: null, egress: null });
    await endJobGrants(core, tx, { accountId, agentId });
    const error = "agent_released: the account gave the agent back.";
    const cancelledSchedules = await endSchedulesOf(core, tx, { agentId, error });
    await tx.workflows.deactivateAll({ agentId, now });
    await tx.writeGrants.deleteAll(agentId);
    await tx.runIdentity.setAudiences(agentId, []);
    await tx.repositoryAccess.delete(agentId);
    await resolveElsewhere(core, tx, { agentId, subject: null });
    await tx.sessions.deleteKeys(agentId);
    await tx.journal.deleteEnded({ agentId, now });
    await auditAct(core, tx, { action: "release", outcome: "ok", by: nobody, agent, requestId });
    return ok({ agentId, repository, accountId, cancelledSchedules });
  });
}
