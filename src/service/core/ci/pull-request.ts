// Where providers keep the head of a pull request. Pure.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { PullRequest } from "../../../contract/runs/pull-request.ts";
import type { Caller } from "../accounts/caller.ts";
import type { PullRequestHead } from "../runs/run-record.ts";
import type { PullRequestRefusal } from "./refusals.ts";

/** GitHub's are those of a GitHub Enterprise Server, too. Other providers keep none where the clone URL leads. */
const folders: Readonly<Record<string, string>> = { github: "pull", gitlab: "merge-requests" };
const SUPPORTED = "GitHub and GitLab";

/** What the caller asks a run to work on, if that is a pull request. */
export function askedPullRequest(
  caller: Caller,
  asked: PullRequest | undefined,
): Result<PullRequestHead | null, PullRequestRefusal> {
  if (asked === undefined) return ok(null);
  if (caller.kind !== "ci_job") return refused({ reason: "pull_request_needs_job" });
  const { provider } = caller.capability.job;
  const folder = folders[provider];
  if (folder === undefined) {
    return refused({ reason: "pull_request_unsupported", provider, allowed: SUPPORTED });
  }
  const { number, head_sha: headSha, base_ref: baseRef } = asked;
  return ok({ number, headRef: `refs/${folder}/${number}/head`, headSha, baseRef });
}
