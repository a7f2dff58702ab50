// GitLab as a job writes to it: one place for the note, the changes and the review of a run, by one token.
// Why: docs/decisions/183-gitlab-writes-back.md

import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { CiJob } from "../ci/provider.ts";
import type { ChangesSubject } from "../job/changes/changes-host.ts";
import { deliverChanges } from "../job/changes/deliver-changes.ts";
import type { DeliveryOptions } from "../job/changes/delivery-options.ts";
import type { CodeHostError } from "../job/code-host/code-host-error.ts";
import { type FindingsOptions, publishFindings } from "../job/findings/publish-findings.ts";
import { type ReviewMemory, readReviewMemory } from "../job/findings/review-memory.ts";
import type { ReviewedPaths } from "../job/findings/reviewed-paths.ts";
import { markerOf } from "../job/status-comment/marker.ts";
import { openStatusComment, type StatusComment } from "../job/status-comment/status-comment.ts";
import type { FileLinks } from "../render/blob-url.ts";
import type { Delivery } from "../report/delivery.ts";
import type { PublishedFindings } from "../report/findings.ts";
import { gitlabChanges } from "./changes/gitlab-changes.ts";
import type { GitLabApi } from "./gitlab-api.ts";
import { GitLabError } from "./gitlab-error.ts";
import { notePlace } from "./notes/note-place.ts";
import type { MergeRequest, Project } from "./project.ts";
import { writeCommitStatus } from "./reviews/commit-status.ts";
import { gitlabReviews, gitlabReviewsReader } from "./reviews/gitlab-reviews.ts";
import { roleAdvice, TOKEN_VARIABLE } from "./token-advice.ts";
import type { Viewer } from "./viewer.ts";

export type GitLabHostOptions = {
  readonly openApi: (signal: AbortSignal) => GitLabApi;
  readonly token: string;
  /** Of the API, without a trailing slash: "https://gitlab.com". */
  readonly serverUrl: string;
  readonly project: Project;
  readonly viewer: Viewer;
  /** Of the pipeline; null for one that is of none. */
  readonly mergeRequest: MergeRequest | null;
  /** The commit of the merge request's branch that the job is about. */
  readonly headSha: string;
  readonly job: CiJob;
  readonly env: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
  readonly note: (text: string) => void;
};

type ReviewOptions = Pick<FindingsOptions, "reviewed" | "threshold" | "output" | "run"> & {
  /** The name of the commit status; null: none is set. */
  readonly statusName: string | null;
};
type ChangesOptions = Pick<DeliveryOptions, "mode" | "changes" | "run" | "reply" | "prompt" | "branchPrefix">;

export class GitLabHost {
  readonly #options: GitLabHostOptions;

  constructor(options: GitLabHostOptions) {
    this.#options = options;
  }

  /** The number of the merge request; null without one. */
  get number(): number | null {
    return this.#options.mergeRequest?.iid ?? null;
  }

  /** Null where there is no merge request. Sends nothing until the first call. */
  openNote(): StatusComment | null {
    const { mergeRequest, openApi, viewer, job, env, clock, warn } = this.#options;
    if (mergeRequest === null) return null;
    const { iid: number, web_url: url } = mergeRequest;
    return openStatusComment({
      openPlace: (signal) => ({
        comment: notePlace(openApi(signal), { number, url, viewerId: viewer.id }),
        // Nobody asked in a note.
        reaction: null,
      }),
      marker: markerOf([job.repository.id, env.CI_CONFIG_PATH ?? "", job.job, job.step, number]),
      // GitLab counts no attempts of a job, and another push has another pipeline.
      mayExist: true,
      jobUrl: env.CI_JOB_URL ?? env.CI_PIPELINE_URL ?? "",
      mention: null,
      clock,
      explain: (cause) => explain(cause, number),
      onWarning: warn,
    });
  }

  /** What earlier reviews left; null without a merge request, and of a first review. Rejects with GitLabError. */
  async readMemory(reviewed: ReviewedPaths): Promise<ReviewMemory | null> {
    const { mergeRequest, headSha, note } = this.#options;
    if (mergeRequest === null) return null;
    const { iid: number, web_url: url } = mergeRequest;
    const host = gitlabReviewsReader({ api: this.#api(), url, viewerId: this.#options.viewer.id });
    return await readReviewMemory({ host, number, headSha, reviewed, isForWriters: false, onNote: note });
  }

  /** Null where the reply is no review. Never rejects. */
  async publishFindings({ statusName, ...options }: ReviewOptions): Promise<PublishedFindings | null> {
    const { mergeRequest, project, viewer, job, env, clock, signal, headSha, warn, note } = this.#options;
    const api = this.#api();
    const status = {
      api,
      clock,
      signal,
      sha: job.sha,
      pipelineId: job.runId,
      jobUrl: env.CI_JOB_URL ?? env.CI_PIPELINE_URL ?? "",
    };
    const host = gitlabReviews({
      api,
      project,
      url: mergeRequest?.web_url ?? "",
      viewerId: viewer.id,
      writeCheck:
        statusName === null ? null : (check) => writeCommitStatus({ ...check, ...status, name: statusName }),
      warn,
      note,
    });
    const subject =
      mergeRequest === null
        ? null
        : {
            number: mergeRequest.iid,
            isPullRequest: true,
            refs: { headSha, isFork: false },
            command: null,
          };
    return await publishFindings({ ...options, mode: "review", isExpected: true, subject, host });
  }

  /** Failures that a maintainer can cause are a Delivery of type "kept", with the reason. */
  async deliverChanges(options: ChangesOptions): Promise<Delivery> {
    const { token, serverUrl, project, viewer, job, env, clock, signal, note } = this.#options;
    const subject = this.#subject();
    const host = gitlabChanges({
      api: this.#api(),
      token,
      serverUrl,
      project,
      viewer,
      env,
      subject,
    });
    const common = { subject, job, env, host, clock, signal, onNote: note };
    return await deliverChanges({ ...options, ...common, signedCommits: false, onPushed: null });
  }

  /** For links to files, at the commit that was pushed where one was. */
  fileLinks(delivery: Delivery | null): FileLinks {
    const { project, mergeRequest, headSha, job } = this.#options;
    const isPushed = delivery?.type === "commit" || delivery?.type === "pull_request";
    return {
      repositoryUrl: `${project.web_url}/-`,
      headSha: mergeRequest === null ? job.sha : headSha,
      changedSha: isPushed ? delivery.sha : null,
    };
  }

  #subject(): ChangesSubject | null {
    const { mergeRequest, headSha, job } = this.#options;
    if (mergeRequest === null) return null;
    const { iid: number, title, author, source_branch: headRef, diff_refs: diff } = mergeRequest;
    return {
      number,
      isPullRequest: true,
      title,
      author,
      command: null,
      comment: null,
      refs: { headRef, headSha, baseSha: diff?.base_sha ?? job.sha, isFork: false },
    };
  }

  #api(): GitLabApi {
    return this.#options.openApi(this.#options.signal);
  }
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
