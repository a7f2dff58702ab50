// The repository's side of a claim: a job that only users with write access can start names the account that will pay.
// Why: docs/decisions/012-two-sides-of-a-claim.md

import type { ClaimOutcome } from "../../../contract/ci/exchange.ts";
import type { Agent } from "../agents/agent.ts";
import { auditAct } from "../agents/audit-act.ts";
import { nobody } from "../audit/audit-entry.ts";
import { mayAcceptClaim } from "../ci-jobs/claimable.ts";
import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";

const ACCOUNT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Gives the agent to the account that the job names, if that account's claim is pending and the job's event may accept it.
 * Part of the exchange's transaction, which has locked the agent. Never fails: a wrong account must not break CI.
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
  // Any other text cannot be the id of an account: the store is not queried.
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
  await auditAct(core, tx, {
    action: "claim",
    outcome: "claimed",
    by: nobody,
    agent,
    accountId,
    ciRunId: job.runId,
    requestId,
  });
  return { agent: { ...agent, accountId }, outcome: "claimed" };
}
