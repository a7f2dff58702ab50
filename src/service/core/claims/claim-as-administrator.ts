// The repository's side of a claim without a job: whoever claims has proved to the code host that they administer it now.

import { ok, type Result, refused } from "../../../base/result.ts";
import { hashSecret, isWellFormedSecret } from "../../../base/secret-token.ts";
import { type AccountCaller, actorOf } from "../accounts/caller.ts";
import type { AgentRepository } from "../agents/agent.ts";
import { auditAct } from "../agents/audit-act.ts";
import type { Core } from "../core.ts";
import { CLAIM_PREFIX } from "./claim-url.ts";
import type { ClaimRefusal } from "./refusals.ts";

/** The repository of a claim link. Null when there is no such link, or no more. */
export async function repositoryOfClaim(core: Core, token: string): Promise<AgentRepository | null> {
  if (!isWellFormedSecret(CLAIM_PREFIX, token)) return null;
  const ticket = await core.store.committed.claims.findTicket(hashSecret(token));
  if (ticket === null || ticket.expiresAt <= core.clock.now()) return null;
  return (await core.store.committed.agents.find(ticket.agentId))?.repository ?? null;
}

/** Gives the agent to the account whose claim is pending. The caller has verified that its person administers the repository. */
export async function completeAsAdministrator(
  core: Core,
  proof: { caller: AccountCaller; agentId: string; requestId: string },
): Promise<Result<AgentRepository, ClaimRefusal>> {
  const { caller, agentId, requestId } = proof;
  const { accountId } = caller;
  return await core.store.transact(async (tx): Promise<Result<AgentRepository, ClaimRefusal>> => {
    const agent = await tx.agents.lock(agentId);
    const repository = agent?.repository ?? null;
    if (agent === null || repository === null) return refused({ reason: "claim_unknown" });
    if (agent.accountId === accountId) return ok(repository);
    if (agent.accountId !== null) {
      return refused({ reason: "claimed_by_another", repository: repository.name });
    }
    const pending = await tx.claims.findPending({ agentId, accountId, now: core.clock.now() });
    if (pending === null || !(await tx.claims.complete({ agentId, accountId }))) {
      return refused({ reason: "claim_ended" });
    }
    const by = actorOf(caller);
    await auditAct(core, tx, { action: "claim", outcome: "claimed", by, agent, accountId, requestId });
    return ok(repository);
  });
}
