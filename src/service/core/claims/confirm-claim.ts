// The repository's side of a claim: a job that only a writer can start names the account that is to pay.
// Why: docs/decisions/012-two-sides-of-a-claim.md

import type { ClaimOutcome } from "../../../contract/ci/exchange.ts";
import type { Agent } from "../agents/agent.ts";
import { mayAcceptClaim } from "../ci/claimable.ts";
import type { JobIdentity } from "../ci/job-identity.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";

const ACCOUNT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Gives the agent to the account that the job names, if that account asked for it and the job's event may accept. Part
 * of the exchange's transaction, which holds the agent's row. Never fails: a wrong account must not break CI.
 */
export async function confirmClaim(
  core: Core,
  tx: StoreTransaction,
  request: { agent: Agent; job: JobIdentity; account: string | null; requestId: string },
): Promise<{ agent: Agent; outcome: ClaimOutcome | null }> {
  const { agent, job, requestId } = request;
  const now = core.clock.now();
  if (request.account === null) {
    const waits = agent.accountId === null && (await tx.claims.hasPending({ agentId: agent.id, now }));
    return { agent, outcome: waits ? "pending" : null };
  }
  const accountId = request.account.toLowerCase();
  // Whatever else a job may name, the store need not be asked for it.
  if (!ACCOUNT_ID.test(accountId)) return { agent, outcome: "none" };
  if (agent.accountId !== null) {
    return { agent, outcome: agent.accountId === accountId ? "claimed" : "none" };
  }
  const claim = await tx.claims.findPending({ agentId: agent.id, accountId, now });
  if (claim === null) return { agent, outcome: "none" };
  if (!mayAcceptClaim(job)) return { agent, outcome: "refused_event" };
  if (!(await tx.claims.complete({ agentId: agent.id, accountId }))) {
    throw new Error(`Agent ${agent.id} was claimed while its row was held.`);
  }
  await auditClaim(core, tx, { agent, accountId, requestId, outcome: "claimed", ciRunId: job.runId });
  return { agent: { ...agent, accountId }, outcome: "claimed" };
}

/** Leaves an audit entry on a step of a claim. */
export async function auditClaim(
  core: Core,
  tx: StoreTransaction,
  step: {
    agent: Agent;
    accountId: string;
    requestId: string;
    outcome: "pending" | "claimed";
    ciRunId: string | null;
  },
): Promise<void> {
  const { agent, ...entry } = step;
  const now = core.clock.now();
  await tx.audit.insert({
    id: core.random.uuid(now),
    at: now,
    action: "claim",
    ...entry,
    issuer: agent.repository?.issuer ?? null,
    repositoryId: agent.repository?.id ?? null,
    repositoryName: agent.repository?.name ?? null,
  });
}
