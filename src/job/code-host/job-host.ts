// A code host as a job writes to it for its run: the status comment, the changes and the review, each by the recipe behind its port. A host
// gives the parts.

import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import type { FileLinks } from "../../render/blob-url.ts";
import type { Delivery } from "../../report/delivery.ts";
import type { PublishedFindings } from "../../report/findings.ts";
import type { ChangesHost, ChangesSubject } from "../changes/changes-host.ts";
import { deliverChanges } from "../changes/deliver-changes.ts";
import type { DeliveryOptions } from "../changes/delivery-options.ts";
import { type FindingsOptions, publishFindings } from "../findings/publish-findings.ts";
import { type ReviewMemory, readReviewMemory } from "../findings/review-memory.ts";
import type { ReviewedPaths } from "../findings/reviewed-paths.ts";
import type { ReviewsHost, ReviewsReader } from "../findings/reviews-host.ts";
import type { CommentPlace } from "../status-comment/comment-place.ts";
import { markerOf } from "../status-comment/marker.ts";
import { openStatusComment, type StatusComment } from "../status-comment/status-comment.ts";
import type { CodeHostError } from "./code-host-error.ts";

/** The pull request or merge request that the job is about. Never a fork's. */
export type JobPull = {
  readonly number: number;
  readonly title: string;
  readonly author: ChangesSubject["author"];
  readonly headRef: string;
  readonly baseSha: string;
};

export type HostParts = {
  readonly pull: JobPull | null;
  /** The commit of the pull request's branch that the job is about; of a job about none, its own. */
  readonly headSha: string;
  readonly jobUrl: string;
  /** Names the job among all of its repository. */
  readonly place: readonly string[];
  /** The page of the repository, for links to files. */
  readonly links: Pick<FileLinks, "repositoryUrl" | "files">;
  /** The longest comment that the host takes; left out: GitHub's. */
  readonly maxCommentBytes?: number;
  /** Of the pull request. The signal aborts when the last edit has timed out. */
  readonly openComments: (number: number, signal: AbortSignal) => CommentPlace;
  /** Why no comment can be written, and what to change. */
  readonly explain: (cause: CodeHostError, number: number) => string;
  readonly openReader: () => ReviewsReader;
  /** `statusName` is the commit status'; null: none is set. */
  readonly openReviews: (statusName: string | null) => ReviewsHost;
  readonly openChanges: (subject: ChangesSubject | null) => ChangesHost;
  /** What the pull request changes, for the prompt of a review: "" where a run reads that itself. */
  readonly readDiff: () => Promise<string>;
};

export type JobHostOptions = HostParts & {
  readonly job: CiJob;
  readonly env: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
  readonly note: (text: string) => void;
};

type ReviewOptions = Pick<FindingsOptions, "reviewed" | "threshold" | "output" | "run"> & {
  readonly statusName: string | null;
};
type ChangesOptions = Pick<DeliveryOptions, "mode" | "changes" | "run" | "reply" | "prompt" | "branchPrefix">;

export class JobHost {
  readonly #options: JobHostOptions;

  constructor(options: JobHostOptions) {
    this.#options = options;
  }

  /** Of the pull request; null without one. */
  get number(): number | null {
    return this.#options.pull?.number ?? null;
  }

  /** Null where there is no pull request. Sends nothing until the first call. */
  openComment(): StatusComment | null {
    const { pull, openComments, explain, place, job, jobUrl, clock, warn, maxCommentBytes } = this.#options;
    if (pull === null) return null;
    const { number } = pull;
    return openStatusComment({
      openPlace: (signal) => ({
        comment: openComments(number, signal),
        // Nobody asked in a comment.
        reaction: null,
      }),
      marker: markerOf([job.repository.id, ...place, number]),
      // Not every host counts attempts, and another push has another pipeline.
      mayExist: true,
      jobUrl,
      mention: null,
      maxBytes: maxCommentBytes,
      clock,
      explain: (cause) => explain(cause, number),
      onWarning: warn,
    });
  }

  /** What earlier reviews left; null without a pull request, and of a first review. Rejects with CodeHostError. */
  async readMemory(reviewed: ReviewedPaths): Promise<ReviewMemory | null> {
    const { pull, headSha, note, openReader } = this.#options;
    if (pull === null) return null;
    const { number } = pull;
    const host = openReader();
    return await readReviewMemory({ host, number, headSha, reviewed, isForWriters: false, onNote: note });
  }

  /** As a diff, for the prompt. Rejects with CodeHostError. */
  async readDiff(): Promise<string> {
    return this.#options.pull === null ? "" : await this.#options.readDiff();
  }

  /** Null where the reply is no review. Never rejects. */
  async publishFindings({ statusName, ...options }: ReviewOptions): Promise<PublishedFindings | null> {
    const { pull, headSha, openReviews } = this.#options;
    const subject =
      pull === null
        ? null
        : { number: pull.number, isPullRequest: true, refs: { headSha, isFork: false }, command: null };
    const host = openReviews(statusName);
    return await publishFindings({ ...options, mode: "review", isExpected: true, subject, host });
  }

  /** Failures that a maintainer can cause are a Delivery of type "kept", with the reason. */
  async deliverChanges(options: ChangesOptions): Promise<Delivery> {
    const { openChanges, job, env, clock, signal, note } = this.#options;
    const subject = this.#subject();
    const common = { subject, job, env, host: openChanges(subject), clock, signal, onNote: note };
    return await deliverChanges({ ...options, ...common, signedCommits: false, onPushed: null });
  }

  /** For links to files, at the commit that was pushed where one was. */
  fileLinks(delivery: Delivery | null): FileLinks {
    const { links, headSha } = this.#options;
    const isPushed = delivery?.type === "commit" || delivery?.type === "pull_request";
    return { ...links, headSha, changedSha: isPushed ? delivery.sha : null };
  }

  #subject(): ChangesSubject | null {
    const { pull, headSha } = this.#options;
    if (pull === null) return null;
    const { number, title, author, headRef, baseSha } = pull;
    const refs = { headRef, headSha, baseSha, isFork: false };
    return { number, isPullRequest: true, title, author, command: null, comment: null, refs };
  }
}
