// Refs under which providers keep the head of a pull request. Pure.

import { ok, type Result, refused } from "../../../base/result.ts";
import {
  ciProviderNames,
  ciProviders,
  isCiProvider,
  providerTitles,
} from "../../../contract/ci/providers.ts";
import type { PullRequest } from "../../../contract/runs/pull-request.ts";
import type { Caller } from "../accounts/caller.ts";
import type { PullRequestHead } from "../commits/run-commit.ts";
import type { PullRequestRefusal } from "./refusals.ts";

const SUPPORTED = providerTitles(
  ciProviderNames.filter((name) => ciProviders[name].pullRequestRefs !== null),
);

/** The pull request that the request names, or null. */
export function requestedPullRequest(
  caller: Caller,
  requested: PullRequest | undefined,
): Result<PullRequestHead | null, PullRequestRefusal> {
  if (requested === undefined) return ok(null);
  if (caller.kind !== "ci_job") return refused({ reason: "pull_request_needs_job" });
  const { provider } = caller.capability.job;
  const facts = isCiProvider(provider) ? ciProviders[provider] : null;
  if (facts === null || facts.pullRequestRefs === null) {
    const title = facts?.title ?? provider;
    return refused({ reason: "pull_request_unsupported", provider: title, allowed: SUPPORTED });
  }
  const { number, head_sha: headSha, base_ref: baseRef, base_sha: baseSha } = requested;
  const headRef = `refs/${facts.pullRequestRefs}/${number}/head`;
  return ok({ number, headRef, headSha, baseRef, ...(baseSha === undefined ? {} : { baseSha }) });
}
