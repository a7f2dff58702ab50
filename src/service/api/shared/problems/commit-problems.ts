// What a job is told of the commits that it sends. Pure.

import { packFaults } from "../../../../contract/ci/commits.ts";
import type { CommitAccessRefusal, SendCommitRefusal } from "../../../core/commit-uploads/refusals.ts";
import type { PackRefusal } from "../../../core/commits/pack-receiver.ts";
import type { CommitMissingRefusal, CommitUnknownRefusal } from "../../../core/commits/refusals.ts";
import type {
  AccessUnavailableRefusal,
  CommitUnreachableRefusal,
} from "../../../core/repository-access/refusals.ts";
import { invalidRequest, notFound, type ProblemsOf, type PublicProblem } from "./public-problem.ts";

type AnyRefusal =
  | CommitAccessRefusal
  | SendCommitRefusal
  | CommitMissingRefusal
  | CommitUnknownRefusal
  | CommitUnreachableRefusal
  | AccessUnavailableRefusal;
/** Those that no other noun's table has. */
type OwnReason = Exclude<
  AnyRefusal["reason"],
  "agent_not_found" | "agent_of_another" | "agent_retired" | "policy_refused_since" | "overloaded"
>;
type Own = Extract<AnyRefusal, { reason: OwnReason }>;
type Fault = Extract<PackRefusal, { readonly detail: string }>;

const faults = Object.fromEntries(packFaults.map((reason) => [reason, packRefused])) as {
  readonly [Reason in Fault["reason"]]: (refusal: Fault) => PublicProblem;
};

export const commitProblems: ProblemsOf<Own> = {
  ...faults,
  commits_not_kept: () => notFound("This service works on a checkout of its own, and takes no commits."),
  commit_name_malformed: () =>
    invalidRequest("A commit is named by 40 or 64 hexadecimal digits, in lower case."),
  commit_not_the_jobs: ({ sha, jobSha }) => ({
    status: 403,
    code: "commit_not_the_jobs",
    message: `Commit ${sha} is not ${jobSha}, which the job runs on. For a commit of a pull request name its number in "pull_request", in a job of GitHub Actions or GitLab CI.`,
  }),
  claim_required: ({ repository, claimUrl }) => ({
    status: 402,
    code: "claim_required",
    message: `Free credits are for public repositories, and ${repository} is not public: nothing is taken of it before an account has claimed it.${claimUrl === null ? " Repositories of this CI provider cannot be claimed." : ` Claim it: ${claimUrl}`}`,
    fields: { audience: "anon", reason: "repository_private", claim_url: claimUrl },
  }),
  commit_missing: ({ repository, sha }) => ({
    status: 409,
    code: "commit_missing",
    message: `${repository} is not public, and the service does not hold commit ${sha}. It never clones such a repository: send the commit before the run, by PUT /v1/ci/commits/${sha}. This version of the action and of the command do.`,
  }),
  commit_unknown: ({ repository, isPublic, goneSha }) => ({
    status: 409,
    code: "commit_unknown",
    message:
      goneSha === null
        ? `It is not known which commit of ${repository} this run is to work on: no job of its default branch has ${isPublic ? "run" : "sent one"}. Run the agent once from the repository's CI, on its default branch, then ask again.`
        : `Commit ${goneSha} of ${repository} is not held any more, and the service never clones a repository that is not public. Run the agent from the repository's CI, on its default branch, which sends the newest commit, then ask again.`,
  }),
  commit_unreachable: ({ repository, detail }) => ({
    status: 409,
    code: "commit_unreachable",
    message: `The newest commit of ${repository} could not be fetched from its code host: ${detail}.`,
  }),
  repository_access_unavailable: ({ detail }) => ({
    status: 409,
    code: "repository_access_unavailable",
    message: detail,
  }),
  length_missing: () => invalidRequest("The header Content-Length is needed: the size is judged first."),
  upload_too_large: ({ bytes, allowed }) => ({
    status: 413,
    code: "upload_too_large",
    message: `The pack has ${megabytes(bytes)}, this service takes ${megabytes(allowed)}. Send less history; an operator allows more with COMMIT_MAX_MB.`,
  }),
  upload_quota: ({ bytes, left, quota }) => ({
    status: 413,
    code: "upload_quota",
    message: `The pack takes ${megabytes(bytes)}. Of the ${megabytes(quota)} of this repository ${megabytes(left)} are free: the rest is in use by runs, or was used in the last 10 minutes. Try again later; an operator allows more with COMMIT_QUOTA_MB.`,
  }),
  upload_expired: () => ({
    status: 503,
    code: "unavailable",
    message: "The upload took too long. Send it again.",
    retryAfterSeconds: 5,
  }),
};

function packRefused({ reason, detail }: Fault): PublicProblem {
  return { status: 422, code: "pack_refused", message: detail, fields: { reason } };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
}
