// The port through which a run gets a copy of its repository, or an empty one. Implemented in checkouts/ by git.

import type { Result } from "../../../base/result.ts";
import type { Visibility } from "../../../contract/ci/exchange.ts";
import type { HeldSource } from "../commits/held-source.ts";
import type { CoveredFiles } from "../ports/covered-files.ts";
import type { RemoteCredential, RemoteRepository } from "../repository-access/remotes.ts";

/** The head of a pull request, instead of the commit that the job's token names. */
export type PullRequestSource = {
  readonly number: number;
  /** The provider's ref of its head: `refs/pull/7/head`. `sha` has to be in that ref's history. */
  readonly headRef: string;
  /** True where the job is itself one of this pull request, and may have the provider's merge of it checked out. */
  readonly isJobs: boolean;
};

/**
 * The name of the folder that a run's files had with its last worker. They get it again where it is free: agents find their
 * sessions by the path of their folder.
 */
type EarlierFolder = { readonly earlierFolder?: string | undefined };

export type CheckoutSource = EarlierFolder & {
  readonly runId: string;
  /** Of the job: with `event` and `baseRef` it says whether writers made the commit. */
  readonly provider: string;
  /** `owner/name`, for messages. */
  readonly repository: string;
  readonly cloneUrl: string;
  /** Only a public one is cloned. */
  readonly visibility: Visibility;
  readonly sha: string;
  readonly ref: string;
  readonly event: string;
  readonly baseRef: string | null;
  /** `baseRef` then names its target branch. */
  readonly pullRequest?: PullRequestSource;
  /** Absent where the job has sent nothing. */
  readonly held?: HeldSource;
  /** Access to a repository that is not public, for a run without a job. Absent: it is not. */
  readonly remote?: { readonly repository: RemoteRepository; readonly credential: RemoteCredential };
};

export type CheckoutRefusal = {
  readonly reason:
    | "commit_missing"
    | "clone_failed"
    | "clone_refused"
    | "clone_too_large"
    | "clone_timed_out"
    | "pull_request_moved"
    | "checkout_failed"
    /** The service cannot make any, such as one without git. */
    | "service_fault";
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

/** A commit with its whole message. */
export type CommitText = Commit & {
  readonly message: string;
  /** Null where it has none, or where the history that is here ends with it. */
  readonly firstParent: string | null;
  readonly isMerge: boolean;
};

type LogQuery = {
  /** The count of newest ones that are left out. Default 0. */
  readonly skip?: number;
  /** Commits that this one has are left out. Default: none. */
  readonly from?: string | null;
  /** Default: the commit that was checked out. */
  readonly to?: string | null;
  /** Only commits that change one of these. Default: all. */
  readonly paths?: readonly string[];
};

/** Text that git printed. `complete` is false where there was more than is kept. */
export type GitText = { readonly text: string; readonly complete: boolean };

export type BlamedLine = {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** Null: the line was changed since the commit that was checked out. */
  readonly commit: Pick<Commit, "sha" | "author" | "at"> | null;
  /** The history that is here ends with that commit: the line may be older. */
  readonly isOldest: boolean;
};

/** Git's history of commits. Commits are named by all their digits; paths are relative to the root, files or folders. */
export interface CheckoutHistory {
  /** The commit that a name such as `HEAD~2` or `1a2b3c4` stands for; null where none is in reach. */
  resolve(name: string): Promise<string | null>;
  commit(sha: string): Promise<CommitText>;
  /** A git patch for people: renames are found, of binary files only the names are shown. `from` null: against nothing. */
  diff(
    sides: { readonly from: string | null; readonly to: string },
    paths: readonly string[],
  ): Promise<GitText>;
  /** The same of what the tree holds now that the commit did not. Changes nothing that another call reads. */
  workingDiff(paths: readonly string[]): Promise<GitText>;
  /** A file as it was; null where there is no regular file of at most 5 MB. */
  fileAt(sha: string, path: string): Promise<Buffer | null>;
  /** Of the file as it is now. Rejects with a `CheckoutError` where git does not know it, or it has no such lines. */
  blame(
    path: string,
    lines: { readonly first: number; readonly last: number },
  ): Promise<readonly BlamedLine[]>;
}

export type ChangedFile = {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  /** Lines; 0 for a binary file. */
  readonly additions: number;
  readonly deletions: number;
};

export type TextQuery = {
  /** One line, not empty. */
  readonly pattern: string;
  /** Perl-compatible, line by line; otherwise the pattern stands for itself. */
  readonly isRegex: boolean;
  readonly wholeWord: boolean;
  readonly ignoreCase: boolean;
  /** Only this file, or files in this folder, relative to the root; "" is the root. */
  readonly path: string;
  /** Only files whose paths below `path` match one of these; empty: all. `*`, `?`, `**` and `[a-z]`, no braces. */
  readonly globs: readonly string[];
  /** Files of the root that match one of these are left out. */
  readonly leaveOut: readonly string[];
};

export type TextMatch = {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** The column at which the match begins, counted from 1 in bytes; null for a line beside one that matches. */
  readonly column: number | null;
  /** Of a long line the part around the match. */
  readonly text: string;
};

export type TextCount = { readonly path: string; readonly lines: number };

/** Why a changed file is no part of the patch. */
export type HeldBackFile = { readonly path: string; readonly reason: "protected" | "too_large" };

/** Differences from the commit that was checked out, new files included. */
export type WorkingChanges = {
  readonly baseSha: string;
  /** Why the changes cannot be read; `files`, `patch` and `heldBack` are empty then. One line, no path of this machine. */
  readonly unreadable?: string;
  readonly files: readonly ChangedFile[];
  /** A git patch of those files, binary ones too; "" when there are none. */
  readonly patch: string;
  readonly heldBack: readonly HeldBackFile[];
};

/** What a tree held at one moment. */
export type KeptTree = {
  /** Git's name of the tree. */
  readonly tree: string;
  /** A git pack of the objects that the commit lacks. */
  readonly pack: Uint8Array;
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
  /** The name of the run's folder, for `earlierFolder`. Left out where it has none of its own. */
  readonly folderName?: string;
  /** Other runs work in the very same files: a child finds what its parent changed, and leaves there what it changes. */
  readonly isShared?: true;
  /** Git's own folder, where it lies outside of the tree. */
  readonly gitFolder?: string;
  /** Files of the tree that are not for an agent: neither its commands nor its tools read them, and no list names them. */
  readonly covered?: CoveredFiles;
  readonly headSha: string;
  /** Newest first, at most `limit`, as far back as the shallow history goes. */
  recentCommits(limit: number, query?: LogQuery): Promise<readonly Commit[]>;
  readonly history: CheckoutHistory;
  /**
   * AGENTS.md of the commit, in text: of the base where the event is a pull request, since an outsider may have
   * written the rest. Null where there is none, or no base is in reach.
   */
  instructions(): Promise<string | null>;
  /**
   * A file of that same commit, as text. Null where it is no regular file, is larger than 256 KB, or no such commit is in
   * reach.
   */
  trustedText(path: string): Promise<string | null>;
  /** Paths of that same commit's regular files that `isWanted` takes, in git's order. None where no such commit is in reach. */
  trustedPaths(isWanted: (path: string) => boolean): Promise<readonly string[]>;
  /**
   * Takes the files that configure agents out of a tree that writers did not make. Instructions in text are replaced by
   * the base's, where a base is in reach. Such files count as unchanged in `workingChanges`; changed nevertheless, they are
   * held back. Returns what was hidden; null for a tree that writers made, in which nothing is. Called once, before an agent is started.
   */
  hideAgentFiles(): Promise<readonly HiddenFile[] | null>;
  /** Changes of a pull request, against its base. Null where the event is not a pull request or no base is in reach. */
  changesSinceBase(): Promise<{ readonly baseSha: string; readonly files: readonly ChangedFile[] } | null>;
  /**
   * The same as a unified diff, of these files or of all. `isWhole` is false where it was cut after 4 MB. Rejects like `files`.
   */
  diffSinceBase(paths?: readonly string[]): Promise<{
    readonly baseSha: string;
    readonly text: string;
    readonly isWhole: boolean;
  } | null>;
  /**
   * What the tree holds now that the commit did not, without what git ignores. Nothing of the tree is executed. Names
   * a file that is protected, too large or a repository of its own, and leaves it out. What cannot be read is said to
   * be `unreadable`. A signal takes the place of the run's: what a stopped run changed can still be read.
   */
  workingChanges(signal?: AbortSignal): Promise<WorkingChanges>;
  /** Applies an earlier patch to the clean tree: all of it, or nothing. */
  restore(patch: string): Promise<Result<null, RestoreRefusal>>;
  /**
   * Keeps what the tree holds now, whatever its size and its paths, without what git ignores and without repositories within.
   * The pack is complete beside the commit: no earlier one is needed. Null where the tree is that of `since`, a name
   * that an earlier call returned; null for the commit's. Nothing of the tree is executed. Rejects with a
   * `CheckoutError` where the changes are more than 32 MB packed or 256 MB unpacked, or cannot be read. A signal takes the place of the run's.
   */
  keepTree(since: string | null, signal?: AbortSignal): Promise<KeptTree | null>;
  /**
   * Makes the tree of the same commit what it was when it was kept: contents, modes, deletions. Files that git ignores stay, as do
   * repositories within. Rejects with a `CheckoutError` for a pack that is damaged or does not belong to the commit:
   * nothing is changed then. It also rejects where the files cannot be written; some may be then.
   */
  bringBack(kept: KeptTree, signal?: AbortSignal): Promise<void>;
  /**
   * Paths of the files that the tree holds now, relative to the root, in git's order: those that git tracks, and new
   * ones that it does not ignore. Rejects with a `CheckoutError` when that takes too long.
   */
  files(): Promise<readonly string[]>;
  /**
   * Every matching line of those that are text files of at most 5 MB, in git's order, with `context` lines around each, none by
   * default. `complete` is false when there were too many. Rejects with a `CheckoutError` when it takes too long, and
   * for a pattern that is no regular expression.
   */
  findText(
    query: TextQuery,
    context?: number,
  ): Promise<{ readonly matches: readonly TextMatch[]; readonly complete: boolean }>;
  /** The count of lines that match, by the file that has them. Rejects like `findText`. */
  countText(query: TextQuery): Promise<{ readonly counts: readonly TextCount[]; readonly complete: boolean }>;
  /** Files and folders that git ignores, relative to the root; a folder stands for all in it. Rejects like `files`. */
  ignored(): Promise<readonly string[]>;
  /** Removes everything from disk. Safe to repeat. */
  close(): Promise<void>;
}

export interface CheckoutProvider {
  /**
   * Opens the repository at `sha` in a folder of its own: from what the job has sent, otherwise by a clone. Ends every
   * process that it started when `signal` aborts.
   */
  open(source: CheckoutSource, signal: AbortSignal): Promise<Result<Checkout, CheckoutRefusal>>;
  /** Makes a repository without files in a folder of its own, for a run whose agent has none. */
  openEmpty(
    run: { runId: string } & EarlierFolder,
    signal: AbortSignal,
  ): Promise<Result<Checkout, CheckoutRefusal>>;
  /** Removes what runs that are no more left behind. Called once, before the first run. */
  sweep(): Promise<void>;
}
