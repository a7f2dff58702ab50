// POST /v1/ci/oidc/exchange: exchanges a CI job's token for a short-lived capability to run one repository's agent.

import { ok, type Result, refused } from "../../../base/result.ts";
import { makeSecretToken } from "../../../base/secret-token.ts";
import { CAPABILITY_PREFIX, type ClaimOutcome } from "../../../contract/ci/exchange.ts";
import type { Plan } from "../accounts/account.ts";
import { lockCurrentAccount } from "../accounts/subscriptions.ts";
import type { Agent } from "../agents/agent.ts";
import { makeClaimUrl } from "../claims/claim-url.ts";
import { confirmClaim } from "../claims/confirm-claim.ts";
import type { Core } from "../core.ts";
import type { RateRefusal } from "../limits/refusals.ts";
import { ensureFreeCredits, isFree } from "../money/free-credits.ts";
import { accountWallet, balanceInCredits, freeCreditsResetAt, RUN_FEE_MICRO_USD } from "../money/ledger.ts";
import type { StoreTransaction } from "../ports/store.ts";

import type { Capability } from "./capability.ts";
import { findPolicyFault } from "./ci-policy.ts";
import type { JobIdentity, JobStatement, VerifiedToken } from "./job-identity.ts";
import type { ExchangeRefusal } from "./refusals.ts";

const REPOSITORY_PER_MINUTE = 120;
const OWNER_PER_MINUTE = 600;

export type Exchanged = {
  /** The capability's secret. Returned here and stored nowhere. */
  readonly accessToken: string;
  readonly capability: Capability;
  readonly agent: Agent;
  readonly quota: Quota;
  readonly resetsAt: number;
  /** The outcome of the `account` that the job named; null where it named none and no claim is pending. */
  readonly claim: ClaimOutcome | null;
};

/** What pays for the agent's next run, and the claim link where nothing does. */
type Quota = {
  readonly audience: "anon" | Plan;
  readonly creditsRemaining: number;
  readonly claimUrl: string | null;
};

/**
 * Verifies the token, claims it, and issues a capability, the last two in one transaction. A token can be exchanged once:
 * a second use is refused, however the token is encoded, and also where the owner's policy refused the first. A job that
 * names an account (`account`) accepts the claim which that account has made; a claim that fails does not fail the
 * exchange. Every outcome leaves an audit entry.
 */
export async function exchangeToken(
  core: Core,
  request: {
    subjectToken: string;
    requestId: string;
    account?: string | null;
    statement?: JobStatement;
  },
): Promise<Result<Exchanged, ExchangeRefusal | RateRefusal>> {
  const verified = await core.verifier.verify(request.subjectToken, request.statement);
  if (!verified.ok) {
    await audit(core, { requestId: request.requestId, outcome: verified.refusal.reason, job: null });
    return verified;
  }
  const { job } = verified.value;
  const { requestId } = request;
  try {
    const exchanged = await issueCapability(core, { ...request, verified: verified.value });
    if (exchanged !== null) return exchanged;
  } catch (cause) {
    if (!(cause instanceof LimitedError)) throw cause;
    await audit(core, { requestId, outcome: cause.refusal.reason, job });
    return refused(cause.refusal);
  }
  await audit(core, { requestId, outcome: "token_replayed", job });
  return refused({
    reason: "token_replayed",
    detail: "This token was exchanged before. Mint a fresh one for every exchange.",
  });
}

/** The repository or its owner exchanges too often: the claim of the token is undone, so that it works a little later. */
class LimitedError extends Error {
  readonly refusal: RateRefusal;

  constructor(refusal: RateRefusal) {
    super("The repository or its owner exchanges too many tokens.");
    this.refusal = refusal;
  }
}

type Issue = {
  readonly verified: VerifiedToken;
  readonly requestId: string;
  readonly account?: string | null;
};

/** Null for a token that was exchanged before. Throws a LimitedError. */
async function issueCapability(
  core: Core,
  { verified, requestId, account }: Issue,
): Promise<Result<Exchanged, ExchangeRefusal> | null> {
  const { job, replayKey, usableUntil } = verified;
  // Charged once, also when the database has the transaction run again.
  let charge: { readonly refusal: RateRefusal | null } | null = null;
  return await core.store.transact(async (tx) => {
    if (!(await tx.ci.claimToken({ issuer: job.issuer, replayKey, usableUntil }))) return null;
    // After the claim: a used token, sent again by whoever has read it, spends nothing of the repository's.
    charge ??= { refusal: takeFromLimits(core, job) };
    if (charge.refusal !== null) throw new LimitedError(charge.refusal);
    const now = core.clock.now();
    const found = await tx.agents.upsert({
      id: core.random.uuid(now),
      job,
      backend: core.policy.backend,
      now,
    });
    const fault = findPolicyFault(found, job);
    if (fault !== null) {
      // Returned, not thrown: the token stays claimed.
      await tx.audit.insert(auditEntry(core, { requestId, outcome: "policy_refused", job }));
      return refused<ExchangeRefusal>({ reason: "policy_refused", ...fault });
    }
    const { agent, outcome } = await confirmClaim(core, tx, {
      agent: found,
      job,
      account: account ?? null,
      requestId,
    });
    const secret = makeSecretToken(CAPABILITY_PREFIX, core.random.bytes(32));
    const capability: Capability = {
      hash: secret.hash,
      agentId: agent.id,
      job,
      issuedAt: now,
      expiresAt: now + core.policy.capabilityMs,
      revokedAt: null,
    };
    await tx.ci.insertCapability(capability);
    const quota = await quotaOf(core, tx, { agent, job });
    await tx.audit.insert(auditEntry(core, { requestId, outcome: "ok", job }));
    return ok({
      accessToken: secret.text,
      capability,
      agent,
      quota,
      resetsAt: freeCreditsResetAt(now),
      claim: outcome,
    });
  });
}

async function quotaOf(
  core: Core,
  tx: StoreTransaction,
  { agent, job }: { agent: Agent; job: JobIdentity },
): Promise<Quota> {
  if (agent.accountId !== null) {
    const account = await lockCurrentAccount(core, tx, agent.accountId);
    if (account === null) throw new Error(`There is no account ${agent.accountId}, though it owns an agent.`);
    const balance = (await tx.ledger.findBalance(accountWallet(account.id))) ?? 0;
    return { audience: account.plan, creditsRemaining: balanceInCredits(balance), claimUrl: null };
  }
  const { balance } = await ensureFreeCredits(core, tx, job);
  const needsBillingAccount = balance < RUN_FEE_MICRO_USD || !isFree(core.policy, job);
  return {
    audience: "anon",
    creditsRemaining: balanceInCredits(balance),
    claimUrl: needsBillingAccount
      ? await makeClaimUrl(core, tx, { agentId: agent.id, provider: job.provider })
      : null,
  };
}

/** DELETE /v1/ci/oidc/exchange: revokes a capability. Safe to repeat. */
export async function revokeCapability(
  core: Core,
  request: { capability: Capability; requestId: string },
): Promise<void> {
  const { capability, requestId } = request;
  await core.store.transact(async (tx) => {
    await tx.ci.revokeCapability({ hash: capability.hash, now: core.clock.now() });
    const entry = auditEntry(core, { requestId, outcome: "ok", job: capability.job });
    await tx.audit.insert({ ...entry, action: "revoke" });
  });
}

function takeFromLimits(core: Core, job: JobIdentity): RateRefusal | null {
  const now = core.clock.monotonic();
  const { id, ownerId } = job.repository;
  const repository = { key: `repository:${job.issuer}:${id}`, perMinute: REPOSITORY_PER_MINUTE };
  const owner = { key: `owner:${job.issuer}:${ownerId}`, perMinute: OWNER_PER_MINUTE };
  const repositoryMs = core.limits.take({ ...repository, now });
  if (repositoryMs > 0) return { reason: "rate_limited", scope: "repository", retryAfterMs: repositoryMs };
  const ownerMs = core.limits.take({ ...owner, now });
  if (ownerMs === 0) return null;
  core.limits.giveBack(repository.key);
  return { reason: "rate_limited", scope: "owner", retryAfterMs: ownerMs };
}

type Outcome = { requestId: string; outcome: string; job: JobIdentity | null };

async function audit(core: Core, outcome: Outcome): Promise<void> {
  await core.store.transact((tx) => tx.audit.insert(auditEntry(core, outcome)));
}

function auditEntry(core: Core, { requestId, outcome, job }: Outcome) {
  const now = core.clock.now();
  return {
    id: core.random.uuid(now),
    at: now,
    requestId,
    action: "exchange" as const,
    outcome,
    issuer: job?.issuer ?? null,
    repositoryId: job?.repository.id ?? null,
    repositoryName: job?.repository.name ?? null,
    ciRunId: job?.runId ?? null,
  };
}
