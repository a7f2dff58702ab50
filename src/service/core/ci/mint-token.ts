// Exchanges a CI job's token for an access token of the account that owns its repository's agent, where the owner's policy
// says so. The job is then an AI client of the account.

import { ok, type Result, refused } from "../../../base/result.ts";
import { makeSecretToken } from "../../../base/secret-token.ts";
import { isCommitTrusted } from "../../../contract/ci/events.ts";
import type { ApiScope } from "../../../contract/oauth/scopes.ts";
import { keyPrefixes } from "../accounts/caller.ts";
import type { Agent } from "../agents/agent.ts";
import { mayAcceptClaim } from "../ci-jobs/claimable.ts";
import type { JobIdentity, JobStatement } from "../ci-jobs/job-identity.ts";
import type { Core } from "../core.ts";
import type { RateRefusal } from "../limits/refusals.ts";
import { jobClientOf, jobGrant } from "../oauth/job-grants.ts";
import { resourceOf } from "../oauth/resource.ts";
import { redeemToken } from "./redeem-token.ts";
import type { ExchangeRefusal, MintRefusal } from "./refusals.ts";

const TOKEN_MS = 60 * 60 * 1000;

type Minted = {
  /** The token's secret. Returned here and stored nowhere. */
  readonly accessToken: string;
  readonly scopes: readonly ApiScope[];
  readonly expiresInMs: number;
};

type MintRequest = {
  readonly subjectToken: string;
  readonly requestId: string;
  readonly scopes: readonly ApiScope[];
  readonly statement: JobStatement;
  /** Who the token is made for. Default: the service's audience for jobs. */
  readonly audience?: string;
};

/** Redeems the token for an access token. Its grant is among the account's connected apps, and ends it. */
export async function mintToken(
  core: Core,
  { scopes, ...redemption }: MintRequest,
): Promise<Result<Minted, MintRefusal | ExchangeRefusal | RateRefusal>> {
  return await redeemToken<Minted, MintRefusal>(
    core,
    { ...redemption, action: "mint" },
    async (tx, { job, agent }) => {
      const { accountId } = agent;
      if (accountId === null) return refused(unclaimed(job));
      const fault = mintFault(agent, job);
      if (fault !== null) return refused(fault);
      const now = core.clock.now();
      const expiresAt = now + TOKEN_MS;
      const resource = resourceOf(core.policy.baseUrl);
      const grant = await jobGrant(core, tx, {
        agentId: agent.id,
        accountId,
        resource,
        clientName: `CI jobs of ${job.repository.name}`,
        scope: scopes.join(" "),
        until: expiresAt,
      });
      const secret = makeSecretToken(keyPrefixes.ai_client, core.random.bytes(32));
      await tx.credentials.insert({
        kind: "access_token",
        id: core.random.uuid(now),
        hash: secret.hash,
        clientId: jobClientOf(agent.id),
        grantId: grant.id,
        accountId,
        personId: null,
        scopes,
        resource,
        expiresAt,
        createdAt: now,
        lastUsedAt: null,
        revokedAt: null,
      });
      return ok({ accessToken: secret.text, scopes, expiresInMs: TOKEN_MS });
    },
  );
}

function unclaimed({ repository }: JobIdentity): MintRefusal {
  const detail = `No account has claimed ${repository.name}, so that there is none to get a token for.`;
  return { reason: "repository_unclaimed", detail };
}

function mintFault({ id, ciPolicy, retiredAt }: Agent, job: JobIdentity): MintRefusal | null {
  // The claim's rule, and the commit's: the job's steps are in its commit.
  if (!mayAcceptClaim(job) || !isCommitTrusted(job)) {
    const detail = `A job of the event "${job.event}" gets no token for the account: not only writers of the repository decide what it executes. Use push, schedule or workflow_dispatch.`;
    return { reason: "mint_event_refused", detail };
  }
  if (retiredAt !== null) return { reason: "mint_off", detail: "The repository's agent is retired." };
  if (ciPolicy?.mint_keys === true) return null;
  const detail = `The repository's owner lets its jobs get no token for the account. The owner changes that with "agent-service agents policy ${id} --mint-keys on".`;
  return { reason: "mint_off", detail };
}
