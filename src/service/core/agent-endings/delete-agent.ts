// DELETE /v1/agents/{agentID}: the agent, what it stored, and what it was to do. Its runs end; the workspaces that it worked in stay.
// Why: docs/decisions/120-agents-are-deleted.md

import { ok, type Result, refused } from "../../../base/result.ts";
import { actorOf, type Caller, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { Agent } from "../agents/agent.ts";
import { agentSettingsUrl } from "../agents/agent-settings-url.ts";
import { auditAct } from "../agents/audit-act.ts";
import { creationSlot } from "../agents/create-agent.ts";
import { findAgent } from "../agents/manage-agent.ts";
import { mayUseAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import { resolveElsewhere } from "../approvals/request-approval.ts";
import { deleteUnneeded } from "../commit-uploads/pack-quota.ts";
import type { Core } from "../core.ts";
import { endJobGrants } from "../oauth/job-grants.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { announce, type CancelledRuns, cancelDeleted } from "../runs/end-run.ts";
import { endSchedulesOf } from "../schedules/end-schedules.ts";
import { type ManagerInUseRefusal, refuseManager } from "../workspaces/managed-workspaces.ts";

type Refusal =
  | AgentRefusal
  | ClassRefusal
  | ManagerInUseRefusal
  /** A workspace is being filled with the files of the agent's repository. */
  | { readonly reason: "storage_adopting"; readonly workspaceId: string };

/**
 * Only the account's owner may; leaves an audit entry. Submissions do not lock their agent: a run that is submitted at the same
 * time is cancelled here, by the worker that takes it, or by a sweep where this process has ended. A second deletion does not find
 * the agent.
 */
export async function deleteAgent(
  core: Core,
  request: { readonly caller: Caller; readonly agentId: string; readonly requestId: string },
): Promise<Result<null, Refusal>> {
  const { caller, agentId } = request;
  const found = await findAgent(core, request);
  if (!found.ok) return found;
  if (!isOwner(caller)) {
    const url = agentSettingsUrl(core, agentId);
    return refused({ reason: "owner_needed", what: "delete an agent", url });
  }
  const deleted = await core.store.transact(async (tx): Promise<Result<CancelledRuns, Refusal>> => {
    const agent = await tx.agents.lock(agentId);
    if (agent === null) return refused({ reason: "agent_not_found", agentId });
    // It may have been released in the meantime.
    if (!mayUseAgent(caller, agent)) return refused({ reason: "agent_of_another", agentId });
    const free = await refuseManager(tx, agentId);
    if (!free.ok) return free;
    // Who begins an adoption locks the agent, too.
    const workspaceId = await tx.adoptions.findRunningOf(agentId);
    if (workspaceId !== null) return refused({ reason: "storage_adopting", workspaceId });
    const cancelled = await cancelDeleted(core, tx, agentId);
    await endWhatItWouldDo(core, tx, agent);
    await deleteStorage(core, tx, agent);
    await tx.agents.delete({ id: agentId, now: core.clock.now() });
    const { requestId } = request;
    await auditAct(core, tx, {
      action: "delete_agent",
      outcome: "ok",
      by: actorOf(caller),
      agent,
      requestId,
    });
    return ok(cancelled);
  });
  if (!deleted.ok) return deleted;
  announce(core, deleted.value);
  // A run that was submitted and taken between the reads of that transaction and its end. Later ones end when they are taken.
  announce(core, await core.store.transact((tx) => cancelDeleted(core, tx, agentId)));
  core.scheduleAlarm.ring();
  return ok(null);
}

async function endWhatItWouldDo(
  core: Core,
  tx: StoreTransaction,
  { id: agentId, accountId, repository }: Agent,
): Promise<void> {
  await tx.members.deleteOfAgent(agentId);
  await endSchedulesOf(core, tx, { agentId, error: "agent_deleted: the agent was deleted." });
  await tx.workflows.deactivateAll({ agentId, now: core.clock.now() });
  await tx.writeGrants.deleteAll(agentId);
  await tx.runIdentity.setAudiences(agentId, []);
  await resolveElsewhere(core, tx, { agentId, subject: null });
  if (repository !== null && accountId !== null) await endJobGrants(core, tx, { accountId, agentId });
}

/** Deletes an agent's storage; events of its runs are deleted later, in steps: RunExpiry. */
async function deleteStorage(
  core: Core,
  tx: StoreTransaction,
  { id: agentId, accountId, repository }: Agent,
): Promise<void> {
  await tx.sessions.deleteKeys(agentId);
  await tx.sessions.deleteCarriedChanges(agentId);
  await tx.runViews.deleteOfAgent(agentId);
  await tx.journal.deleteEnded({ agentId, now: core.clock.now() });
  await tx.idempotency.delete({ agentId, runId: null });
  if (accountId !== null) await tx.idempotency.delete({ agentId: creationSlot(accountId), runId: agentId });
  if (repository === null) return;
  await tx.defaultHeads.delete(agentId);
  await tx.repositoryAccess.delete(agentId);
  const { issuer, id } = repository;
  await deleteUnneeded(core, tx, { agentId, repository: { issuer, id } });
}
