// Redeems a CI job's ID token: verified, claimed once, within the repository's rate, and allowed by the owner's policy. What
// the job gets for it is issued in the same transaction.

import { type Result, refused } from "../../../base/result.ts";
import type { Agent } from "../agents/agent.ts";
import { findPolicyFault } from "../agents/ci-policy.ts";
import { type AuditEntry, nobody } from "../audit/audit-entry.ts";
import type { JobIdentity, JobStatement, VerifiedToken } from "../ci-jobs/job-identity.ts";
import type { Core } from "../core.ts";
import type { RateRefusal } from "../limits/refusals.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { ExchangeRefusal } from "./refusals.ts";

const REPOSITORY_PER_MINUTE = 120;
const OWNER_PER_MINUTE = 600;

type Redemption = {
  readonly subjectToken: string;
  readonly requestId: string;
  readonly statement?: JobStatement;
  /** Who the token is made for. Default: the service's audience for jobs. */
  readonly audience?: string;
  /** Its name in the audit trail. */
  readonly action: "exchange" | "mint";
};

/** The job, and its repository's agent, which no other transaction changes until this one ends. */
type Redeemed = { readonly job: JobIdentity; readonly agent: Agent };

/** Issues what the job gets. A refusal is committed, too: the token stays claimed. */
type Issue<Value, Refusal> = (tx: StoreTransaction, redeemed: Redeemed) => Promise<Result<Value, Refusal>>;

/**
 * A token can be redeemed once, for whatever: a second use is refused, however the token is encoded, and also where the
 * first was refused by the owner's policy or by `issue`. Every outcome leaves an audit entry.
 */
export async function redeemToken<Value, Refusal extends { readonly reason: string } = never>(
  core: Core,
  redemption: Redemption,
  issue: Issue<Value, Refusal>,
): Promise<Result<Value, Refusal | ExchangeRefusal | RateRefusal>> {
  const { requestId, action } = redemption;
  const { subjectToken, statement, audience } = redemption;
  const expected = audience === undefined ? undefined : { audience };
  const verified = await core.verifier.verify(subjectToken, statement, expected);
  if (!verified.ok) {
    await audit(core, { requestId, action, outcome: verified.refusal.reason, job: null });
    return verified;
  }
  const { job } = verified.value;
  try {
    const issued = await claimAndIssue(core, { redemption, verified: verified.value, issue });
    if (issued !== null) return issued;
  } catch (cause) {
    if (!(cause instanceof LimitedError)) throw cause;
    await audit(core, { requestId, action, outcome: cause.refusal.reason, job });
    return refused(cause.refusal);
  }
  await audit(core, { requestId, action, outcome: "token_replayed", job });
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

type Claim<Value, Refusal> = {
  readonly redemption: Redemption;
  readonly verified: VerifiedToken;
  readonly issue: Issue<Value, Refusal>;
};

/** Null for a token that was redeemed before. Throws a LimitedError. */
async function claimAndIssue<Value, Refusal extends { readonly reason: string }>(
  core: Core,
  { redemption: { requestId, action }, verified, issue }: Claim<Value, Refusal>,
): Promise<Result<Value, Refusal | ExchangeRefusal> | null> {
  const { job, replayKey, usableUntil } = verified;
  // Charged once, also when the database has the transaction run again.
  let charge: { readonly refusal: RateRefusal | null } | null = null;
  return await core.store.transact(async (tx): Promise<Result<Value, Refusal | ExchangeRefusal> | null> => {
    if (!(await tx.ci.claimToken({ issuer: job.issuer, replayKey, usableUntil }))) return null;
    // After the claim: a used token, sent again by whoever has read it, spends nothing of the repository's.
    charge ??= { refusal: takeFromLimits(core, job) };
    if (charge.refusal !== null) throw new LimitedError(charge.refusal);
    const now = core.clock.now();
    const agent = await tx.agents.upsert({
      id: core.random.uuid(now),
      job,
      backend: core.policy.backend,
      now,
    });
    const fault = findPolicyFault(agent, job);
    // Returned, not thrown: the token stays claimed.
    const issued =
      fault === null
        ? await issue(tx, { job, agent })
        : refused<ExchangeRefusal>({ reason: "policy_refused", ...fault });
    const outcome = issued.ok ? "ok" : issued.refusal.reason;
    const { accountId } = agent;
    await tx.audit.insert(
      auditEntry(core, {
        requestId,
        action,
        outcome,
        job,
        ...(action === "mint" && accountId !== null ? { accountId } : {}),
      }),
    );
    return issued;
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

type Outcome = Pick<AuditEntry, "requestId" | "action" | "outcome" | "accountId"> & {
  readonly job: JobIdentity | null;
};

async function audit(core: Core, outcome: Outcome): Promise<void> {
  await core.store.transact((tx) => tx.audit.insert(auditEntry(core, outcome)));
}

/** The audit entry of a job's request. */
export function auditEntry(core: Pick<Core, "clock" | "random">, { job, ...outcome }: Outcome): AuditEntry {
  const now = core.clock.now();
  return {
    id: core.random.uuid(now),
    at: now,
    ...nobody,
    ...outcome,
    issuer: job?.issuer ?? null,
    repositoryId: job?.repository.id ?? null,
    repositoryName: job?.repository.name ?? null,
    ciRunId: job?.runId ?? null,
  };
}
