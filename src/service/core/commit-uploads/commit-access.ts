// Access of jobs to commits: which job may ask for, and send, which commit. Decided before anything is read of a body.

import { ok, type Result, refused } from "../../../base/result.ts";
import { ciProviders, isCiProvider } from "../../../contract/ci/providers.ts";
import { commitNameSchema } from "../../../contract/runs/pull-request.ts";
import type { CiJobCaller } from "../accounts/caller.ts";
import { findPolicyFault } from "../agents/ci-policy.ts";
import { reachAgent } from "../agents/reach-agent.ts";
import { makeClaimUrl } from "../claims/claim-url.ts";
import type { CommitKeeping } from "../commits/commit-keeping.ts";
import { type RepositoryKey, repositoryKeyOf } from "../commits/held-pack.ts";
import type { Core } from "../core.ts";
import { isFree } from "../money/free-credits.ts";
import type { CommitAccessRefusal } from "./refusals.ts";

export type CommitRequest = {
  readonly caller: CiJobCaller;
  readonly sha: string;
  /** The number of a pull request that the commit is of; 0 for the commit of the job's token. */
  readonly pullRequest: number;
};

export type CommitAccess = {
  readonly keeping: CommitKeeping;
  readonly repository: RepositoryKey;
  /** The repository's owner, as its issuer names it. */
  readonly owner: string;
  readonly agentId: string;
};

export async function findAccess(
  core: Core,
  { caller, sha, pullRequest }: CommitRequest,
): Promise<Result<CommitAccess, CommitAccessRefusal>> {
  const { commits: keeping } = core;
  if (keeping === null) return refused({ reason: "commits_not_kept" });
  if (!commitNameSchema.safeParse(sha).success) return refused({ reason: "commit_name_malformed" });
  const { agentId, job } = caller.capability;
  const agent = await reachAgent(core, { caller, agentId });
  if (!agent.ok) return agent;
  if (agent.value.retiredAt !== null) return refused({ reason: "agent_retired", agentId });
  const fault = findPolicyFault(agent.value, job);
  if (fault !== null) return refused({ reason: "policy_refused_since", ...fault });
  if (agent.value.accountId === null && !isFree(core.policy, job)) {
    const { name: repository } = job.repository;
    const claimUrl = await core.store.transact((tx) =>
      makeClaimUrl(core, tx, { agentId, provider: job.provider }),
    );
    return refused({ reason: "claim_required", repository, claimUrl });
  }
  // Only a provider that keeps heads of pull requests has runs of them: those of `pull_request` in a submission.
  const mayNameAny =
    pullRequest > 0 && isCiProvider(job.provider) && ciProviders[job.provider].pullRequestRefs;
  if (sha !== job.sha && !mayNameAny) return refused({ reason: "commit_not_the_jobs", sha, jobSha: job.sha });
  const owner = `${job.issuer} ${job.repository.ownerId}`;
  return ok({ keeping, repository: repositoryKeyOf(job), owner, agentId });
}
