// Fetches one commit by its name, with its recent history, checks the limits and checks it out.

import type { Clock } from "../../base/clock.ts";
import { type Git, GitError } from "../../base/git/git.ts";
import { makeRepository } from "../../base/git/make-repository.ts";
import { objectFormatOf } from "../../base/git/object-names.ts";
import type { CheckoutSource } from "../core/checkouts/checkout.ts";
import {
  CloneLimitError,
  type CloneLimits,
  checkStoredBytes,
  megabytes,
  withinLimits,
} from "./clone-limits.ts";
import type { CloneTarget } from "./clone-url.ts";
import { fetchHistory } from "./fetch-history.ts";
import { fetchPullRequest, type PullRequestBase } from "./fetch-pull-request.ts";
import { measureTree } from "./git-output.ts";
import { streamOutput } from "./stream-output.ts";

/** Git reads a file whole to search it. */
const MAX_SEARCHED_FILE_BYTES = 5_000_000;
/** About half a million files. A tree that names itself again and again would list without end. */
const MAX_LISTING_BYTES = 64 * 1024 * 1024;

type Clone = {
  readonly git: Git;
  readonly gitFolder: string;
  readonly target: CloneTarget;
  /** For the calls that reach the server. */
  readonly env?: Readonly<Record<string, string>>;
  readonly source: Pick<CheckoutSource, "sha" | "baseRef" | "pullRequest">;
  readonly limits: CloneLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** A commit's files, and which of them are too large to be searched. */
type CommitFiles = {
  /** As `git ls-tree -r -l -z` prints them. */
  readonly listing: Buffer;
  readonly unsearched: readonly string[];
};

export type Cloned = {
  readonly files: CommitFiles;
  /** Null where the run is about no pull request. */
  readonly base: PullRequestBase | null;
};

/**
 * Fetches and checks out `sha`. Throws a `GitError`, a `CloneLimitError`, a `PullRequestMovedError`, or the reason of
 * `signal`; every process has ended by then.
 */
export async function cloneCommit(clone: Clone): Promise<Cloned> {
  const { sha } = clone.source;
  return await withinLimits(clone, async (signal) => {
    await makeRepository({ ...clone, objectFormat: objectFormatOf(sha), signal });
    const base = await fetchSource(clone, signal);
    await checkStoredBytes(clone.gitFolder, clone.limits);
    await checkUnfoldedBytes(clone, signal);
    return { files: await checkOut(clone, signal), base };
  });
}

/** Git has unfolded them once, within its processor time. Nothing else is to read them if they are too large together. */
async function checkUnfoldedBytes(
  { git, limits: { maxUnfoldedBytes } }: Pick<Clone, "git" | "limits">,
  signal: AbortSignal,
): Promise<void> {
  const args = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectsize)"];
  let bytes = 0;
  let rest = "";
  for await (const chunk of streamOutput(git, { args, signal })) {
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) bytes += Number(line);
  }
  if (bytes <= maxUnfoldedBytes) return;
  const message =
    `the objects of its recent history have ${megabytes(bytes)} together, this service allows ` +
    `${megabytes(maxUnfoldedBytes)}; leave large generated files out of the history`;
  throw new CloneLimitError("clone_too_large", message);
}

/** Checks out a commit that is there, within the limits of a tree. */
export async function checkOut(
  clone: Pick<Clone, "git" | "source" | "limits">,
  signal: AbortSignal,
): Promise<CommitFiles> {
  const files = await checkTreeSize(clone, signal);
  const args = ["checkout", "--quiet", "--force", "--detach", clone.source.sha];
  await clone.git({ args, signal });
  return files;
}

async function fetchSource(clone: Clone, signal: AbortSignal): Promise<PullRequestBase | null> {
  const { sha, baseRef, pullRequest } = clone.source;
  if (pullRequest === undefined || baseRef === null) {
    await fetchHistory({ ...clone, wanted: [sha], signal });
    return null;
  }
  return await fetchPullRequest({ ...clone, sha, baseRef, pullRequest, signal });
}

/** The files of a commit. Throws a CloneLimitError where they are too large together. */
export async function checkTreeSize(
  clone: {
    readonly git: Git;
    readonly source: { readonly sha: string };
    readonly limits: Pick<CloneLimits, "maxCheckoutBytes">;
  },
  signal: AbortSignal,
): Promise<CommitFiles> {
  const { maxCheckoutBytes } = clone.limits;
  const args = ["ls-tree", "-r", "-l", "-z", "--full-tree", clone.source.sha];
  const { stdout: listing } = await clone
    .git({ args, signal, maxOutputBytes: MAX_LISTING_BYTES })
    .catch((cause: unknown) => {
      const isEndless = cause instanceof GitError && cause.code === "git_output_too_large";
      throw isEndless
        ? new CloneLimitError("clone_too_large", "it has more files than this service can list")
        : cause;
    });
  const { files, bytes, largeFiles } = measureTree(listing, MAX_SEARCHED_FILE_BYTES);
  if (bytes <= maxCheckoutBytes) return { listing, unsearched: largeFiles };
  const message =
    `its ${files.toLocaleString("en-US")} files have ${megabytes(bytes)} together, ` +
    `this service allows ${megabytes(maxCheckoutBytes)}`;
  throw new CloneLimitError("clone_too_large", message);
}
