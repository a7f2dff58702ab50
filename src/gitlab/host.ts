// GitLab's parts of what a job writes, by one token. Why: docs/decisions/183-gitlab-writes-back.md

import type { CodeHostError } from "../job/code-host/code-host-error.ts";
import { JobHost, type JobHostOptions, type JobPull } from "../job/code-host/job-host.ts";
import { gitlabChanges } from "./changes/gitlab-changes.ts";
import type { GitLabApi } from "./gitlab-api.ts";
import { GitLabError } from "./gitlab-error.ts";
import { notePlace } from "./notes/note-place.ts";
import type { MergeRequest, Project } from "./project.ts";
import { writeCommitStatus } from "./reviews/commit-status.ts";
import { type GitLabReviewsOptions, gitlabReviews, gitlabReviewsReader } from "./reviews/gitlab-reviews.ts";
import { roleAdvice, TOKEN_VARIABLE } from "./token-advice.ts";
import type { Viewer } from "./viewer.ts";

export type GitLabHostOptions = Pick<JobHostOptions, "job" | "env" | "clock" | "signal" | "warn" | "note"> & {
  readonly openApi: (signal: AbortSignal) => GitLabApi;
  readonly token: string;
  /** Of the API, without a trailing slash: "https://gitlab.com". */
  readonly serverUrl: string;
  readonly project: Project;
  readonly viewer: Viewer;
  /** Of the pipeline; null for one that is of none. */
  readonly mergeRequest: MergeRequest | null;
};

/** Sends nothing until the first call. */
export function gitlabHost(options: GitLabHostOptions): JobHost {
  const { openApi, token, serverUrl, project, viewer, mergeRequest, ...common } = options;
  const { job, env, clock, signal, warn, note } = common;
  const api = openApi(signal);
  const url = mergeRequest?.web_url ?? "";
  const reading = { api, url, viewerId: viewer.id };
  const jobUrl = env.CI_JOB_URL ?? env.CI_PIPELINE_URL ?? "";
  return new JobHost({
    ...common,
    pull: mergeRequest === null ? null : pullOf(mergeRequest, job.sha),
    // Only a pipeline for merged results has the variable: there the job's commit is the merge.
    headSha: (mergeRequest !== null && env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA) || job.sha,
    jobUrl,
    place: [env.CI_CONFIG_PATH ?? "", job.job, job.step],
    links: { repositoryUrl: `${project.web_url}/-` },
    openComments: (number, aborting) => notePlace(openApi(aborting), { number, url, viewerId: viewer.id }),
    explain,
    openReader: () => gitlabReviewsReader(reading),
    openReviews: (name) => {
      const status = { api, clock, signal, sha: job.sha, pipelineId: job.runId, jobUrl };
      const writeCheck: GitLabReviewsOptions["writeCheck"] =
        name === null ? null : (check) => writeCommitStatus({ ...check, ...status, name });
      return gitlabReviews({ ...reading, project, writeCheck, warn, note });
    },
    openChanges: (subject) => gitlabChanges({ api, token, serverUrl, project, viewer, env, subject }),
    // A run fetches the merge request's head and base itself.
    readDiff: async () => "",
  });
}

function pullOf(mergeRequest: MergeRequest, sha: string): JobPull {
  const { iid: number, title, author, source_branch: headRef, diff_refs: diff } = mergeRequest;
  return { number, title, author, headRef, baseSha: diff?.base_sha ?? sha };
}

function explain(cause: CodeHostError, number: number): string {
  const { code, status, message } = cause;
  if (code === "code_host_unavailable") return `The note on !${number} could not be written. ${message}`;
  const isTooSmall = cause instanceof GitLabError && (cause.lacksScope || status === 403 || status === 404);
  const fix =
    status === 401
      ? `The token in ${TOKEN_VARIABLE} is not valid, or not any more: make a new project access token with the scope "api".`
      : isTooSmall
        ? roleAdvice({ number, isPullRequest: true })
        : "Leave --comment out to go without.";
  return `Nothing is written on !${number}. ${message} ${fix}`;
}
