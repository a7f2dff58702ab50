// POST /v1/ci/claim: the account's side of a claim. The claim is pending until a job of the repository accepts it.

import { ok, type Result, refused } from "../../../base/result.ts";
import { hashSecret, isWellFormedSecret } from "../../../base/secret-token.ts";
import { type AccountCaller, actorOf, isOwner } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { AgentRepository } from "../agents/agent.ts";
import { auditAct } from "../agents/audit-act.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { CLAIM_PREFIX, claimUrlOf } from "./claim-url.ts";
import type { ClaimRefusal } from "./refusals.ts";

/** The time for which a claim waits for a job of the repository. */
const PENDING_MS = 7 * 24 * 60 * 60 * 1000;

export type Claimed = {
  readonly repository: AgentRepository;
  readonly agentId: string;
  /** Until when a job can accept it; null when the agent already belongs to the account. */
  readonly expiresAt: number | null;
};

type Request = { readonly caller: AccountCaller; readonly token: string; readonly requestId: string };

/**
 * Makes a pending claim on the repository of a claim token. No other account can use the token afterwards. Only the
 * account's owner can: an AI client is told the claim page. Safe to repeat: the claim keeps its end.
 */
export async function claimRepository(
  core: Core,
  request: Request,
): Promise<Result<Claimed, ClassRefusal | ClaimRefusal>> {
  const { caller, token } = request;
  if (!isWellFormedSecret(CLAIM_PREFIX, token)) return refused({ reason: "claim_unknown" });
  if (!isOwner(caller)) {
    return refused({ reason: "owner_needed", what: "claim a repository", url: claimUrlOf(core, token) });
  }
  return await core.store.transact((tx) => claim(core, tx, request));
}

async function claim(
  core: Core,
  tx: StoreTransaction,
  { caller, token, requestId }: Request,
): Promise<Result<Claimed, ClaimRefusal>> {
  const { accountId } = caller;
  const now = core.clock.now();
  const hash = hashSecret(token);
  const ticket = await tx.claims.findTicket(hash);
  if (ticket === null) return refused({ reason: "claim_unknown" });
  if (ticket.expiresAt <= now) return refused({ reason: "claim_ended" });
  if (ticket.usedBy !== null && ticket.usedBy !== accountId) return refused({ reason: "claim_used" });
  // Locked, so that no exchange gives the agent to another account at the same time.
  const agent = await tx.agents.lock(ticket.agentId);
  if (agent === null || agent.repository === null) {
    throw new Error(`A claim ticket names agent ${ticket.agentId}, which is no repository's.`);
  }
  const { repository, id: agentId } = agent;
  if (agent.accountId === accountId) return ok({ repository, agentId, expiresAt: null });
  if (agent.accountId !== null) return refused({ reason: "claimed_by_another", repository: repository.name });

  const earlier = ticket.usedBy === null ? null : await tx.claims.findPending({ agentId, accountId, now });
  if (earlier !== null) return ok({ repository, agentId, expiresAt: earlier.expiresAt });
  const expiresAt = now + PENDING_MS;
  if (!(await tx.claims.useTicket({ hash, accountId, expiresAt }))) return refused({ reason: "claim_used" });
  await tx.claims.putPending({ agentId, accountId, expiresAt });
  const by = actorOf(caller);
  await auditAct(core, tx, { action: "claim", outcome: "pending", by, agent, accountId, requestId });
  return ok({ repository, agentId, expiresAt });
}
