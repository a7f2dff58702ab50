// Refusals to take or to show a commit, and their problems. Pure.

import { packFaults } from "../../../contract/ci/commits.ts";
import type { AgentRefusal, AgentRetiredRefusal, PolicyRefusal } from "../agents/refusals.ts";
import type { PackRefusal } from "../commits/pack-receiver.ts";
import {
  invalidRequest,
  notFound,
  type ProblemTable,
  type PublicProblem,
  type RefusalOf,
} from "../ports/problem.ts";

type Fault = Extract<PackRefusal, { readonly detail: string }>;

const faults = Object.fromEntries(packFaults.map((reason) => [reason, packRefused])) as {
  readonly [Reason in Fault["reason"]]: (refusal: Fault) => PublicProblem;
};

export const uploadProblems = {
  ...faults,
  commits_not_kept: () => notFound("This service works on a checkout of its own, and takes no commits."),
  commit_name_malformed: () =>
    invalidRequest("A commit is named by 40 or 64 hexadecimal digits, in lower case."),
  commit_not_the_jobs: ({ sha, jobSha }: { sha: string; jobSha: string }) => ({
    status: 403,
    code: "commit_not_the_jobs",
    message: `Commit ${sha} is not ${jobSha}, which the job runs on. For a commit of a pull request name its number in "pull_request", in a job of GitHub Actions or GitLab CI.`,
  }),
  claim_required: ({
    repository,
    claimUrl,
  }: {
    repository: string;
    /** Null where the repository cannot be claimed. */
    claimUrl: string | null;
  }) => ({
    status: 402,
    code: "claim_required",
    message: `Free credits are for public repositories, and ${repository} is not public: nothing is taken of it before an account has claimed it.${claimUrl === null ? " Repositories of this CI provider cannot be claimed." : ` Claim it: ${claimUrl}`}`,
    fields: { audience: "anon", reason: "repository_private", claim_url: claimUrl },
  }),
  length_missing: () => invalidRequest("The header Content-Length is needed: the size is judged first."),
  upload_too_large: ({ bytes, allowed }: { bytes: number; allowed: number }) => ({
    status: 413,
    code: "upload_too_large",
    message: `The pack has ${megabytes(bytes)}, this service takes ${megabytes(allowed)}. Send less history; an operator allows more with COMMIT_MAX_MB.`,
  }),
  upload_quota: ({ bytes, left, quota }: { bytes: number; left: number; quota: number }) => ({
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
} satisfies ProblemTable;

export type CommitAccessRefusal =
  | RefusalOf<
      typeof uploadProblems,
      "commits_not_kept" | "commit_name_malformed" | "commit_not_the_jobs" | "claim_required"
    >
  | AgentRefusal
  | AgentRetiredRefusal
  | PolicyRefusal;

export type SendCommitRefusal =
  | RefusalOf<
      typeof uploadProblems,
      "length_missing" | "upload_too_large" | "upload_quota" | "upload_expired"
    >
  | CommitAccessRefusal
  | PackRefusal;

function packRefused({ reason, detail }: Fault): PublicProblem {
  return { status: 422, code: "pack_refused", message: detail, fields: { reason } };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
}
