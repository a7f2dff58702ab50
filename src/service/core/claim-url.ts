// The link that lets somebody take over a repository's agent. The token in it grants nothing by itself.

import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../base/secret-token.ts";
import type { Core } from "./core.ts";
import { balanceInCredits, freeCreditsAccount, freeCreditsResetAt, grantInMicroUsd } from "./ledger.ts";
import type { StoreTransaction } from "./ports/store.ts";

const CLAIM_PREFIX = "svc_claim_";
const CLAIM_LIFE_MS = 7 * 24 * 60 * 60 * 1000;

/** Makes a claim URL for an agent, usable for seven days. */
export async function makeClaimUrl(core: Core, tx: StoreTransaction, agentId: string): Promise<string> {
  const now = core.clock.now();
  const token = makeSecretToken(CLAIM_PREFIX, core.random.bytes(32));
  await tx.insertClaimTicket({ hash: token.hash, agentId, createdAt: now, expiresAt: now + CLAIM_LIFE_MS });
  return `${core.policy.webUrl}/claim/${token.text}`;
}

export type ClaimDescription = {
  /** `owner/name`. */
  readonly repository: string;
  readonly isPublic: boolean;
  readonly creditsRemaining: number;
  readonly resetsAt: number;
  readonly expiresAt: number;
};

/** What a claim link is for. Null when there is no such link, or no more. */
export async function describeClaim(core: Core, token: string): Promise<ClaimDescription | null> {
  if (!isWellFormedSecret(CLAIM_PREFIX, token)) return null;
  const now = core.clock.now();
  const ticket = await core.store.committed.findClaimTicket(hashSecret(token));
  if (ticket === null || ticket.expiresAt <= now) return null;
  const agent = await core.store.committed.findAgent(ticket.agentId);
  if (agent === null) return null;
  const balance = await core.store.committed.findBalance(freeCreditsAccount(agent, now));
  return {
    repository: agent.repositoryName,
    isPublic: agent.visibility === "public",
    creditsRemaining: balanceInCredits(balance ?? grantInMicroUsd(core.policy.freeCredits)),
    resetsAt: freeCreditsResetAt(now),
    expiresAt: ticket.expiresAt,
  };
}
