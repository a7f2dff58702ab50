// All that needs GitHub's API, in a bundle of its own (dist/github.cjs): import it dynamically, for its type otherwise. Its
// errors are of the bundle's own classes: tell them by `StepError.is` and by their codes.

import { systemClock } from "../base/clock.ts";
import type { CiJob, Environment } from "../ci/provider.ts";
import type { RetryNotice } from "../client/retry.ts";
import type { Transport } from "../client/transport.ts";
import type { Delivery } from "../report/delivery.ts";
import type { PublishedFindings } from "../report/findings.ts";
import { type GitHubApi, githubApi } from "./api/github-api.ts";
import { canOnlyRead } from "./api/read-only.ts";
import { type RepositoryFile, type RepositoryFilePlace, readRepositoryFile } from "./api/repository-file.ts";
import { deliverChanges } from "./changes/deliver-changes.ts";
import type { DeliveryOptions } from "./changes/delivery-options.ts";
import { type FindingsOptions, publishFindings } from "./findings/publish-findings.ts";
import { checkOutHead, type HeadOptions } from "./git/check-out-head.ts";
import {
  openStatusComment,
  type StatusComment,
  type StatusCommentOptions,
} from "./status-comment/status-comment.ts";
import type { AgentRequest } from "./trigger/agent-request.ts";
import { readSubjectRequest, type SubjectEvent } from "./trigger/subject-request.ts";

/** The job's own access to the repository. */
export type CodeHostAccess = {
  readonly token: string;
  readonly job: CiJob;
  readonly env: Environment;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

type Bound = keyof CodeHostAccess | "api" | "openApi" | "clock";

export interface CodeHost {
  /** The request of an event about an issue or a pull request. Rejects with Declined when it may start no run. */
  readSubjectRequest(event: SubjectEvent): Promise<AgentRequest>;
  /** One file at a commit. Rejects with GitHubError. */
  readFile(place: RepositoryFilePlace): Promise<RepositoryFile>;
  /** Checks out the head of a pull request in the job's checkout. Rejects with StepError. */
  checkOutHead(options: Omit<HeadOptions, Bound>): Promise<void>;
  /** Null where the job's token can only read. */
  openStatusComment(options: Omit<StatusCommentOptions, Bound>): StatusComment | null;
  /** Null where the reply is not a review. Never rejects. */
  publishFindings(options: Omit<FindingsOptions, Bound>): Promise<PublishedFindings | null>;
  /** Never rejects for what a maintainer can cause: that is a Delivery of type "kept", with its reason. */
  deliverChanges(options: Omit<DeliveryOptions, Bound>): Promise<Delivery>;
}

/** Sends nothing until the first call. */
export function openCodeHost(access: CodeHostAccess): CodeHost {
  const { env, job } = access;
  const api = openApi(access);
  const bound = { ...access, api, clock: systemClock };
  return {
    readSubjectRequest: (event) => readSubjectRequest({ ...event, api, job }),
    readFile: (place) => readRepositoryFile(api, place),
    checkOutHead: (options) => checkOutHead({ ...options, ...access }),
    openStatusComment: (options) =>
      canOnlyRead(options.subject, env)
        ? null
        : openStatusComment({
            ...options,
            job,
            env,
            clock: systemClock,
            openApi: (signal) => openApi({ ...access, signal }),
          }),
    publishFindings: (options) => publishFindings({ ...options, api, env }),
    deliverChanges: (options) => deliverChanges({ ...options, ...bound }),
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
