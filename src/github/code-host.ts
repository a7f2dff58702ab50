// All that needs GitHub's API, in a bundle of its own (dist/github.cjs): import it dynamically, or for its types. Each part
// of it is evaluated at its first use. Errors have the bundle's own classes: tell them by `StepError.is` and by their code.

import type { RetryNotice } from "../base/backoff.ts";
import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { CiJob } from "../ci/provider.ts";
import type { Transport } from "../client/transport.ts";
import type { DeliveryOptions } from "../job/changes/delivery-options.ts";
import type { FindingsOptions } from "../job/findings/publish-findings.ts";
import type { RepositoryFile, RepositoryFilePlace } from "../job/findings/reviews-host.ts";
import type { StatusComment } from "../job/status-comment/status-comment.ts";
import type { Attestation } from "../report/attestation.ts";
import type { Delivery } from "../report/delivery.ts";
import type { PublishedFindings } from "../report/findings.ts";
import type { WrittenOutputs } from "../report/written-outputs.ts";
import { type GitHubApi, githubApi } from "./api/github-api.ts";
import { canOnlyRead } from "./api/read-only.ts";
import type { AttestOptions } from "./attestations/attest-options.ts";
import type { GitHubChangesOptions } from "./changes/github-changes.ts";
import type { FailedJobsHandOver, FailedJobsOptions } from "./failed-jobs/hand-over-failed-jobs.ts";
import type { GitHubReviewsOptions } from "./findings/github-reviews.ts";
import type { HeadOptions } from "./git/check-out-head.ts";
import type { StatusCommentOptions } from "./status-comment/status-comment.ts";
import type { ThreadImages, ThreadImagesOptions } from "./thread-images/read-thread-images.ts";
import type { AgentRequest } from "./trigger/agent-request.ts";
import type { SubjectEvent } from "./trigger/subject-request.ts";
import type { GitHubOutputsOptions } from "./typed-outputs/github-outputs.ts";

/** The job's own access to the repository. */
type CodeHostAccess = {
  readonly token: string;
  readonly job: CiJob;
  readonly env: Environment;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

type GitHubFindings = Omit<FindingsOptions, "host"> & Omit<GitHubReviewsOptions, Bound>;
type GitHubDelivery = Omit<DeliveryOptions, Bound | "host"> & Pick<GitHubChangesOptions, "setSecret">;
type Bound = keyof CodeHostAccess | "api" | "openApi" | "clock";

export interface CodeHost {
  /** The request of an event about an issue or a pull request. Rejects with Declined when it may start no run. */
  readSubjectRequest(event: SubjectEvent): Promise<AgentRequest>;
  /** The output of the failed jobs of a commit, for a prompt. Rejects only with the signal's reason. */
  readFailedJobs(options: FailedJobsOptions): Promise<FailedJobsHandOver>;
  /** The images that the prompt shows, for a model. Rejects only with the signal's reason. */
  readThreadImages(options: ThreadImagesOptions): Promise<ThreadImages>;
  /** One file at a commit. Rejects with GitHubError. */
  readFile(place: RepositoryFilePlace): Promise<RepositoryFile>;
  /** Checks out the head of a pull request in the job's checkout. Rejects with StepError. */
  checkOutHead(options: Omit<HeadOptions, Bound>): Promise<void>;
  /** Null where the job's checkout shows the change of its pull request; else why it does not, and what to do. */
  fetchBase(options: Omit<HeadOptions, Bound>): Promise<string | null>;
  /** Null where the job's token can only read. */
  openStatusComment(options: Omit<StatusCommentOptions, Bound>): Promise<StatusComment | null>;
  /** Null where the reply is not a review. Never rejects. */
  publishFindings(options: GitHubFindings): Promise<PublishedFindings | null>;
  /** What the run asked for, within what was declared. Rejects only with the signal's reason. */
  writeOutputs(options: Omit<GitHubOutputsOptions, Bound>): Promise<WrittenOutputs>;
  /** Failures that a maintainer can cause are a Delivery of type "kept", with the reason. */
  deliverChanges(options: GitHubDelivery): Promise<Delivery>;
  /** A signed statement about a commit that was pushed. Every failure is an Attestation of type "failed". */
  attestCommit(options: Omit<AttestOptions, Bound>): Promise<Attestation>;
}

/** Loads the client of the API before its first call, so that this does not wait for it. Sends nothing. */
export async function loadClient(): Promise<void> {
  const octokit = await import("./api/octokit.ts");
  await octokit.loadClient();
}

/** Sends nothing until the first call. */
export function openCodeHost(access: CodeHostAccess): CodeHost {
  const { env, job } = access;
  const api = openApi(access);
  return {
    readSubjectRequest: async (event) => {
      const { readSubjectRequest } = await import("./trigger/subject-request.ts");
      return await readSubjectRequest({ ...event, api, job });
    },
    readFailedJobs: async (options) => {
      const { readFailedJobs } = await import("./failed-jobs/read-failed-jobs.ts");
      const { handOverFailedJobs } = await import("./failed-jobs/hand-over-failed-jobs.ts");
      return handOverFailedJobs(await readFailedJobs(api, options.headSha), options);
    },
    readThreadImages: async (options) => {
      const { readThreadImages } = await import("./thread-images/read-thread-images.ts");
      const serverUrl = env.GITHUB_SERVER_URL ?? "https://github.com";
      const host = { ...access, api, serverUrl, clock: systemClock, random: Math.random };
      return await readThreadImages(host, options);
    },
    readFile: async (place) => {
      const { readRepositoryFile } = await import("./api/repository-file.ts");
      return await readRepositoryFile(api, place);
    },
    checkOutHead: async (options) => {
      const { checkOutHead } = await import("./git/check-out-head.ts");
      await checkOutHead({ ...options, ...access });
    },
    fetchBase: async (options) => {
      const { fetchPullRequestBase } = await import("./git/fetch-pull-request-base.ts");
      return await fetchPullRequestBase({ ...options, ...access, clock: systemClock });
    },
    openStatusComment: async (options) => {
      if (canOnlyRead(options.subject, env)) return null;
      const { openStatusComment } = await import("./status-comment/status-comment.ts");
      return openStatusComment({
        ...options,
        job,
        env,
        clock: systemClock,
        openApi: (signal) => openApi({ ...access, signal }),
      });
    },
    publishFindings: async ({ checkRun, annotator, onNote, ...options }) => {
      const { publishFindings } = await import("../job/findings/publish-findings.ts");
      const { githubReviews } = await import("./findings/github-reviews.ts");
      const host = githubReviews({ api, env, checkRun, annotator, onNote });
      return await publishFindings({ ...options, host });
    },
    writeOutputs: async (options) => {
      const { githubOutputs } = await import("./typed-outputs/github-outputs.ts");
      const { writeOutputs } = await import("../job/outputs/write-outputs.ts");
      return await writeOutputs(githubOutputs({ ...options, api, env, job }));
    },
    deliverChanges: async ({ setSecret, ...options }) => {
      const { deliverChanges } = await import("../job/changes/deliver-changes.ts");
      const { githubChanges } = await import("./changes/github-changes.ts");
      const host = githubChanges({ ...access, api, subject: options.subject, setSecret });
      return await deliverChanges({ ...options, ...access, host, clock: systemClock });
    },
    attestCommit: async (options) => {
      // A file of its own, dist/attest.cjs.
      const { attestCommit } = await import("./attestations/attest-commit.ts");
      return await attestCommit({ ...options, ...access, api, clock: systemClock });
    },
  };
}

function openApi({ env, job, ...access }: CodeHostAccess): GitHubApi {
  return githubApi({
    ...access,
    apiUrl: env.GITHUB_API_URL ?? "https://api.github.com",
    repository: job.repository.name,
    clock: systemClock,
    random: Math.random,
  });
}
