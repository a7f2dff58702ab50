// POST /v1/ci/oidc/exchange: exchanges a CI job's token for a short-lived capability to run one repository's agent.

import { ok, type Result } from "../../../base/result.ts";
import { makeSecretToken } from "../../../base/secret-token.ts";
import { CAPABILITY_PREFIX, type ClaimOutcome } from "../../../contract/ci/exchange.ts";
import { lockCurrentAccount } from "../accounts/subscriptions.ts";
import type { Agent } from "../agents/agent.ts";
import type { Capability } from "../ci-jobs/capability.ts";
import type { JobIdentity, JobStatement } from "../ci-jobs/job-identity.ts";
import { makeClaimUrl } from "../claims/claim-url.ts";
import { confirmClaim } from "../claims/confirm-claim.ts";
import { recordDefaultHead } from "../commits/default-head.ts";
import type { Core } from "../core.ts";
import type { RateRefusal } from "../limits/refusals.ts";
import { ensureFreeCredits, isFree } from "../money/free-credits.ts";
import { accountWallet, balanceInCredits, freeCreditsResetAt, RUN_FEE_MICRO_USD } from "../money/ledger.ts";
import type { Plan } from "../money/plan.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { auditEntry, redeemToken } from "./redeem-token.ts";
import type { ExchangeRefusal } from "./refusals.ts";

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

/** The credits that pay for the agent's next run, and the claim link where nothing does. */
type Quota = {
  readonly audience: "anon" | Plan;
  readonly creditsRemaining: number;
  readonly claimUrl: string | null;
};

/**
 * Redeems the token for a capability. A job that names an account (`account`) accepts the claim which that account has made;
 * a claim that fails does not fail the exchange.
 */
export async function exchangeToken(
  core: Core,
  request: {
    subjectToken: string;
    requestId: string;
    account?: string | null;
    /** Whether it gets a claim link while free credits pay, too. */
    wantsClaimUrl?: boolean;
    statement?: JobStatement;
  },
): Promise<Result<Exchanged, ExchangeRefusal | RateRefusal>> {
  const { account = null, wantsClaimUrl = false, ...redemption } = request;
  const { requestId } = request;
  return await redeemToken(core, { ...redemption, action: "exchange" }, async (tx, { job, agent: found }) => {
    const now = core.clock.now();
    const { agent, outcome } = await confirmClaim(core, tx, { agent: found, job, account, requestId });
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
    // What is not public is known once its commit is held.
    if (job.repository.visibility === "public") await recordDefaultHead(core, tx, { agentId: agent.id, job });
    const quota = await quotaOf(core, tx, { agent, job, wantsClaimUrl });
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
  { agent, job, wantsClaimUrl }: { agent: Agent; job: JobIdentity; wantsClaimUrl: boolean },
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
    claimUrl:
      needsBillingAccount || wantsClaimUrl
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
    await tx.audit.insert(
      auditEntry(core, { requestId, action: "revoke", outcome: "ok", job: capability.job }),
    );
  });
}
