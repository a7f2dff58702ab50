// The link with which an account claims a repository's agent. The token in it grants nothing by itself.

import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import type { Agent } from "../agents/agent.ts";
import { canBeClaimed } from "../ci-jobs/claimable.ts";
import type { Core } from "../core.ts";
import {
  balanceInCredits,
  freeCreditsAccount,
  freeCreditsResetAt,
  grantInMicroUsd,
} from "../money/ledger.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { ClaimTicket } from "./claim.ts";

export const CLAIM_PREFIX = "svc_claim_";
const CLAIM_LIFE_MS = 7 * 24 * 60 * 60 * 1000;

/** A claim URL for a repository's agent, usable for seven days. Null where no job of its provider could accept a claim. */
export async function makeClaimUrl(
  core: Core,
  tx: StoreTransaction,
  { agentId, provider }: { agentId: string; provider: string },
): Promise<string | null> {
  if (!canBeClaimed(provider)) return null;
  const now = core.clock.now();
  const token = makeSecretToken(CLAIM_PREFIX, core.random.bytes(32));
  await tx.claims.insertTicket({ hash: token.hash, agentId, createdAt: now, expiresAt: now + CLAIM_LIFE_MS });
  return claimUrlOf(core, token.text);
}

/** The address of a claim token's page. */
export function claimUrlOf(core: Core, token: string): string {
  return `${core.policy.webUrl}/claim/${token}`;
}

/** A claim URL for a repository's agent that has no account; null for any other. */
export async function offerClaim(core: Core, tx: StoreTransaction, agentId: string): Promise<string | null> {
  const agent = await tx.agents.find(agentId);
  if (agent === null || agent.accountId !== null || agent.repository === null) return null;
  return await makeClaimUrl(core, tx, { agentId, provider: agent.repository.provider });
}

/** "over": the link was used, and the claim made with it has expired. */
export type ClaimState =
  | { readonly status: "open" | "claimed" | "over" }
  | { readonly status: "pending"; readonly accountId: string };

export type ClaimDescription = {
  /** `owner/name`. */
  readonly repository: string;
  readonly isPublic: boolean;
  readonly creditsRemaining: number;
  readonly resetsAt: number;
  /** When the link ends, or the claim that was made with it. */
  readonly expiresAt: number;
  readonly state: ClaimState;
};

/** The subject of a claim link. Null when there is no such link, or no more. */
export async function describeClaim(core: Core, token: string): Promise<ClaimDescription | null> {
  if (!isWellFormedSecret(CLAIM_PREFIX, token)) return null;
  const now = core.clock.now();
  const ticket = await core.store.committed.claims.findTicket(hashSecret(token));
  if (ticket === null || ticket.expiresAt <= now) return null;
  const agent = await core.store.committed.agents.find(ticket.agentId);
  if (agent === null || agent.repository === null) return null;
  const { repository } = agent;
  const balance = await core.store.committed.ledger.findBalance(freeCreditsAccount(repository, now));
  return {
    repository: repository.name,
    isPublic: repository.visibility === "public",
    creditsRemaining: balanceInCredits(balance ?? grantInMicroUsd(core.policy.freeCredits)),
    resetsAt: freeCreditsResetAt(now),
    expiresAt: ticket.expiresAt,
    state: await stateOf(core, agent, ticket),
  };
}

async function stateOf(core: Core, agent: Agent, ticket: ClaimTicket): Promise<ClaimState> {
  if (agent.accountId !== null) return { status: "claimed" };
  if (ticket.usedBy === null) return { status: "open" };
  const query = { agentId: agent.id, accountId: ticket.usedBy, now: core.clock.now() };
  const pending = await core.store.committed.claims.findPending(query);
  return pending === null ? { status: "over" } : { status: "pending", accountId: ticket.usedBy };
}
