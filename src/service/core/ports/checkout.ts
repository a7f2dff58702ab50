// The port through which a run gets a copy of its repository, or an empty one. Implemented in checkouts/ by git.

import type { Result } from "../../../base/result.ts";

/** The head of a pull request, instead of the commit that the job's token names. */
export type PullRequestSource = {
  readonly number: number;
  /** The provider's ref of its head: `refs/pull/7/head`. `sha` has to be in that ref's history. */
  readonly headRef: string;
  /** True where the job is itself one of this pull request, and may have the provider's merge of it checked out. */
  readonly isJobs: boolean;
};

export type CheckoutSource = {
  readonly runId: string;
  /** Of the job: with `event` and `baseRef` it says whether writers made the commit. */
  readonly provider: string;
  /** `owner/name`, for messages. */
  readonly repository: string;
  readonly cloneUrl: string;
  readonly sha: string;
  readonly ref: string;
  readonly event: string;
  readonly baseRef: string | null;
  /** `baseRef` then names its target branch. */
  readonly pullRequest?: PullRequestSource;
};

export type CheckoutRefusal = {
  readonly reason:
    | "clone_failed"
    | "clone_refused"
    | "clone_too_large"
    | "clone_timed_out"
    | "pull_request_moved"
    | "checkout_failed";
  /** One line for the person who reads the run: what happened, to which repository, what to do. No secrets. */
  readonly detail: string;
};

export type Commit = {
  readonly sha: string;
  readonly author: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly subject: string;
};

export type ChangedFile = {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  /** Lines; 0 for a binary file. */
  readonly additions: number;
  readonly deletions: number;
};

export type TextQuery = {
  /** Literal texts; a line that holds any of them matches. At least one, none empty, no line ends. */
  readonly texts: readonly string[];
  readonly wholeWord: boolean;
  readonly ignoreCase: boolean;
  /** Only files in this folder, relative to the root; "" is the root. */
  readonly folder: string;
};

export type TextMatch = {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
};

/** Why a changed file is no part of the patch. */
export type HeldBackFile = { readonly path: string; readonly reason: "protected" | "too_large" };

/** What differs from the commit that was checked out, new files included. */
export type WorkingChanges = {
  readonly baseSha: string;
  /** Why the changes cannot be read; `files`, `patch` and `heldBack` are empty then. One line, no path of this machine. */
  readonly unreadable?: string;
  readonly files: readonly ChangedFile[];
  /** A git patch of those files, binary ones too; "" when there are none. */
  readonly patch: string;
  readonly heldBack: readonly HeldBackFile[];
};

export type RestoreRefusal = {
  readonly reason: "patch_conflicts" | "patch_malformed";
  /** Paths that do not apply, as far as git tells. */
  readonly paths: readonly string[];
};

/** The files could not be searched. The message says what and why, and names no path of this machine. */
export class CheckoutError extends Error {
  override readonly name = "CheckoutError";

  /** A backend that is loaded from a bundle of its own has a copy of this class: the name tells. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "CheckoutError";
  }
}

/** A file that was taken out of an agent's sight, or replaced by the base's. */
export type HiddenFile = {
  readonly path: string;
  /** As it was; null where it is no text, too large, or one of too many. */
  readonly text: string | null;
  /** Whether the base's is in its place. */
  readonly isBase: boolean;
};

export interface Checkout {
  /** Absolute path of the checked-out tree. */
  readonly root: string;
  /** Other runs work in the very same files: a child finds what its parent changed, and leaves there what it changes. */
  readonly isShared?: true;
  /** Git's own folder, where it lies outside of the tree. */
  readonly gitFolder?: string;
  readonly headSha: string;
  /** Newest first, at most `limit`, as far back as the shallow history goes. */
  recentCommits(limit: number): Promise<readonly Commit[]>;
  /**
   * AGENTS.md of the commit, in text: of the base where the event is a pull request, since an outsider may have
   * written the rest. Null where there is none, or no base is in reach.
   */
  instructions(): Promise<string | null>;
  /**
   * Takes the files that configure agents out of a tree that writers did not make. Instructions in text are replaced by
   * the base's, where a base is in reach. Such files count as unchanged in `workingChanges`; changed nevertheless, they are
   * held back. Returns what was hidden: nothing in a tree that writers made. Called once, before an agent is started.
   */
  hideAgentFiles(): Promise<readonly HiddenFile[]>;
  /** What a pull request changes, against its base. Null where the event is not a pull request or no base is in reach. */
  changesSinceBase(): Promise<{ readonly baseSha: string; readonly files: readonly ChangedFile[] } | null>;
  /**
   * What the tree holds now that the commit did not, without what git ignores. Nothing of the tree is executed. Names
   * a file that is protected, too large or a repository of its own, and leaves it out. What cannot be read is said to
   * be `unreadable`. A signal takes the place of the run's: what a stopped run changed can still be read.
   */
  workingChanges(signal?: AbortSignal): Promise<WorkingChanges>;
  /** Applies an earlier patch to the clean tree: all of it, or nothing. */
  restore(patch: string): Promise<Result<null, RestoreRefusal>>;
  /**
   * Paths of the files that the tree holds now, relative to the root, in git's order: those that git tracks, and new
   * ones that it does not ignore. Rejects with a `CheckoutError` when that takes too long.
   */
  files(): Promise<readonly string[]>;
  /**
   * Every matching line of those that are text files of at most 5 MB, in git's order. `complete` is false when there
   * were too many. Rejects with a `CheckoutError` when it takes too long.
   */
  findText(query: TextQuery): Promise<{ readonly matches: readonly TextMatch[]; readonly complete: boolean }>;
  /** Removes everything from disk. Safe to repeat. */
  close(): Promise<void>;
}

export interface CheckoutProvider {
  /** Clones the repository at `sha` into a folder of its own. Ends every process it started when `signal` aborts. */
  open(source: CheckoutSource, signal: AbortSignal): Promise<Result<Checkout, CheckoutRefusal>>;
  /** Makes a repository without files in a folder of its own, for a run whose agent has none. */
  openEmpty(run: { runId: string }, signal: AbortSignal): Promise<Result<Checkout, CheckoutRefusal>>;
  /** Removes what runs that are no more left behind. Called once, before the first run. */
  sweep(): Promise<void>;
}
