// The port between reviews and a code host: what earlier ones left, files and commits, and one write each. GitHub, GitLab and Bitbucket
// implement it.

import type { Finding, PublishedFindings, Severity, WrittenCheck } from "../../report/findings.ts";
import type { MarkedFinding } from "./marker.ts";
import type { Published, PublishedFinding } from "./published.ts";

/** What a review is of; `refs` is null of an issue. */
export type ReviewSubject = {
  readonly number: number;
  readonly isPullRequest: boolean;
  readonly refs: { readonly headSha: string; readonly isFork: boolean } | null;
  /** Null where nobody asked for this review. */
  readonly command: object | null;
};

/** A login can pass to another account: `databaseId` tells whether it has. */
export type HostAccount = {
  readonly login: string;
  /** A number, or a UUID. */
  readonly databaseId?: number | string | null | undefined;
};

export type ReviewThread = {
  readonly id: string;
  readonly isResolved: boolean;
  /** Null where it is open, or where the account is gone. */
  readonly resolvedBy: HostAccount | null;
};

export type RepositoryFilePlace = {
  /** Relative to the repository's root, with slashes. */
  readonly path: string;
  readonly ref: string;
  readonly maxBytes: number;
};

export type RepositoryFile =
  | { readonly type: "file"; readonly text: string }
  | { readonly type: "missing" | "not_a_file" | "too_large" };

/** Two commits compared. */
export type Comparison = {
  /** By the path before. */
  readonly renames: ReadonlyMap<string, string>;
  readonly patches: readonly { readonly path: string; readonly patch: string }[];
  /** Files without one: binary, too large, or renamed alone. */
  readonly unshown: readonly string[];
  /** False where the commit is not among the head's own, as after a force push. */
  readonly isAhead: boolean;
  /** False where there are more files than the code host names. */
  readonly isWhole: boolean;
};

/** A pull request, at the commit that is reviewed. */
export type ReviewPlace = { readonly number: number; readonly headSha: string };

/** The new findings of a review, to be published together. */
export type NewReview = ReviewPlace & {
  readonly runId: string;
  readonly findings: readonly MarkedFinding[];
  /** The count of those that are not said again. */
  readonly repeated: number;
  /** What became of earlier findings: markers. */
  readonly closed: readonly string[];
  /** Findings that earlier reviews have published. */
  readonly earlier: Published;
};

export type PullReview = {
  /** Null where there was nothing to publish, now or in an earlier attempt. */
  readonly url: string | null;
  readonly commented: number;
  /** Findings that did not fit into the review. */
  readonly left: readonly Finding[];
};

/** A review as a check of the commit, which a branch can require. */
export type NewCheck = {
  readonly runId: string;
  readonly published: PublishedFindings;
  /** The least severe finding that fails it. */
  readonly threshold: Severity | null;
};

/** Parts of messages. */
export type ReviewWords = {
  /** "GitHub" */
  readonly host: string;
  /** "pull request" */
  readonly pullRequest: string;
  /** "#7" */
  readonly named: (number: number) => string;
  /** `"paths" and "ignore-paths"` */
  readonly pathSettings: string;
  /** "check run" */
  readonly check: string;
  /** Where findings go that no review has: ends a sentence. */
  readonly instead: string;
  /** What a job of a fork's pull request can not: two sentences. */
  readonly noReview: string;
  readonly noCheck: string;
  /** What a token lacks that may not write a review, write a check, or resolve threads. Sentences. */
  readonly mayReview: string;
  readonly mayCheck: string;
  readonly mayResolve: string;
};

/** Reads what is there. Each call rejects with CodeHostError. */
export interface ReviewsReader {
  readonly words: ReviewWords;
  /** Every page of what our account has written on the pull request: anybody can copy a marker. */
  readPublished(place: { readonly number: number; readonly runId: string }): Promise<Published>;
  /** By the addresses of their first comments. */
  readThreads(number: number): Promise<ReadonlyMap<string, ReviewThread>>;
  /** The addresses of reviews that people with write access have set aside. */
  readHiddenReviews(number: number): Promise<ReadonlySet<string>>;
  /** Who has write access now. Each account is asked about once. */
  hasWriteAccess(account: HostAccount): Promise<boolean>;
  readFile(place: RepositoryFilePlace): Promise<RepositoryFile>;
  /** Null where the code host compares them no more. */
  compare(since: string, headSha: string): Promise<Comparison | null>;
}

/** Each call rejects with CodeHostError unless it says otherwise. */
export interface ReviewsHost extends ReviewsReader {
  resolveThread(number: number, threadId: string): Promise<void>;
  reply(place: {
    readonly number: number;
    readonly finding: PublishedFinding;
    readonly thread: ReviewThread | null;
    readonly body: string;
  }): Promise<void>;
  /** Publishes the new findings together. Safe to repeat: no finding is published twice. */
  publish(review: NewReview): Promise<PullReview>;
  /** A review without findings. Returns its address. */
  writeReview(place: ReviewPlace, body: string): Promise<string>;
  /** Replaces the text of a review of ours. */
  editReview(number: number, review: { readonly id: number; readonly body: string }): Promise<void>;
  /** Safe to repeat: a run has one check. Null where no check was asked for. */
  readonly writeCheck: ((check: NewCheck) => Promise<WrittenCheck>) | null;
  /** Whether the job's token can only read. */
  canOnlyRead(subject: ReviewSubject): boolean;
  /** Shows findings that no review has beside the job. Returns how many are shown. */
  annotate(findings: readonly Finding[]): number;
  warn(text: string): void;
  note(text: string): void;
}
