// GET /v1/ci/identity: who a CI job is to this service, and what its next run would be paid with. Changes nothing.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { CiIdentity, ClaimState } from "../../../contract/ci/exchange.ts";
import type { Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import { findCurrentAccount } from "../accounts/subscriptions.ts";
import type { Agent } from "../agents/agent.ts";
import { reachAgent } from "../agents/reach-agent.ts";
import type { AgentRefusal } from "../agents/refusals.ts";
import type { Capability } from "../ci-jobs/capability.ts";
import type { Core } from "../core.ts";
import {
  accountWallet,
  balanceInCredits,
  freeCreditsAccount,
  freeCreditsResetAt,
  grantInMicroUsd,
} from "../money/ledger.ts";

/** The identity that the caller's capability is bound to. Only a CI job has one. */
export async function readIdentity(
  core: Core,
  caller: Caller,
): Promise<Result<CiIdentity, ClassRefusal | AgentRefusal>> {
  if (caller.kind !== "ci_job") return refused({ reason: "capability_needed" });
  const { capability } = caller;
  const { job } = capability;
  const agent = await reachAgent(core, { caller, agentId: capability.agentId });
  if (!agent.ok) return agent;
  const { id, ownerId, name, visibility } = job.repository;
  return ok({
    provider: job.provider,
    issuer: job.issuer,
    audience: core.policy.audience,
    repository: { provider: job.provider, id, owner_id: ownerId, name, visibility },
    event: job.event,
    ref: job.ref,
    base_ref: job.baseRef,
    sha: job.sha,
    run_id: job.runId,
    run_attempt: job.runAttempt,
    actor_id: job.actorId,
    workflow: job.workflow,
    agent_id: agent.value.id,
    claim: await claimOf(core, agent.value),
    expires_at: new Date(capability.expiresAt).toISOString(),
    quota: await quotaOf(core, { agent: agent.value, capability }),
  });
}

async function claimOf(core: Core, { id: agentId, accountId }: Agent): Promise<ClaimState> {
  if (accountId !== null) return "claimed";
  const waits = await core.store.committed.claims.hasPending({ agentId, now: core.clock.now() });
  return waits ? "pending" : "unclaimed";
}

async function quotaOf(
  core: Core,
  { agent, capability }: { agent: Agent; capability: Capability },
): Promise<CiIdentity["quota"]> {
  const now = core.clock.now();
  const resets_at = new Date(freeCreditsResetAt(now)).toISOString();
  const balanceOf = (account: string) => core.store.committed.ledger.findBalance(account);
  if (agent.accountId !== null) {
    const account = await findCurrentAccount(core, agent.accountId);
    if (account === null) throw new Error(`There is no account ${agent.accountId}, though it owns an agent.`);
    const balance = (await balanceOf(accountWallet(account.id))) ?? 0;
    return { audience: account.plan, credits_remaining: balanceInCredits(balance), resets_at };
  }
  const { issuer, repository } = capability.job;
  // The account of a new month is opened by its first run or exchange: until then its balance is what it opens with.
  const balance =
    (await balanceOf(freeCreditsAccount({ issuer, ownerId: repository.ownerId }, now))) ??
    grantInMicroUsd(core.policy.freeCredits);
  return { audience: "anon", credits_remaining: balanceInCredits(balance), resets_at };
}
