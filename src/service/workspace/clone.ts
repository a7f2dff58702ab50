// Brings one commit and its recent history here: fetched by its name, weighed before it is unfolded, then checked out.

import type { Clock } from "../../base/clock.ts";
import {
  CloneLimitError,
  type CloneLimits,
  checkStoredBytes,
  megabytes,
  withinLimits,
} from "./clone-limits.ts";
import type { CloneTarget } from "./clone-url.ts";
import { measureTree, type TreeMeasure } from "./git-output.ts";
import { type Git, GitError } from "./git-process.ts";

const DEFAULT_HISTORY_DEPTH = 50;
/** Git reads a file whole to search it. */
const MAX_SEARCHED_FILE_BYTES = 5_000_000;
/** Half a million files or so; a tree of trees that repeats itself has no end worth waiting for. */
const MAX_LISTING_BYTES = 64 * 1024 * 1024;

export type Clone = {
  readonly git: Git;
  readonly gitFolder: string;
  readonly target: CloneTarget;
  readonly sha: string;
  readonly limits: CloneLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/**
 * Fetches and checks out `sha`; returns what its tree weighs. Throws a `GitError`, a `CloneLimitError`, or the reason of `signal`; every process
 * has ended by then.
 */
export async function cloneCommit(clone: Clone): Promise<TreeMeasure> {
  return await withinLimits(clone, async (signal) => {
    const format = clone.sha.length === 64 ? "sha256" : "sha1";
    const init = ["init", "--quiet", "--template=", `--object-format=${format}`];
    await clone.git({ args: init, signal });
    await fetchCommit(clone, signal);
    await checkStoredBytes(clone.gitFolder, clone.limits);
    const measure = await checkTreeSize(clone, signal);
    await clone.git({ args: ["checkout", "--quiet", "--force", "--detach", clone.sha], signal });
    return measure;
  });
}

async function fetchCommit(clone: Clone, signal: AbortSignal): Promise<void> {
  const depth = clone.limits.historyDepth ?? DEFAULT_HISTORY_DEPTH;
  const args = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-auto-maintenance",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    `--depth=${depth}`,
    "--",
    clone.target.url,
    clone.sha,
  ];
  // A fetch that its owner could not end, gives up by itself.
  const stall = [
    `http.lowSpeedTime=${Math.ceil(clone.limits.cloneTimeoutMs / 1000)}`,
    "http.lowSpeedLimit=1",
  ];
  await clone.git({ args, config: [...clone.target.config, ...stall], signal });
}

async function checkTreeSize(clone: Clone, signal: AbortSignal): Promise<TreeMeasure> {
  const { maxCheckoutBytes } = clone.limits;
  const args = ["ls-tree", "-r", "-l", "-z", "--full-tree", clone.sha];
  const listing = await clone
    .git({ args, signal, maxOutputBytes: MAX_LISTING_BYTES })
    .catch((cause: unknown) => {
      const isEndless = cause instanceof GitError && cause.code === "git_output_too_large";
      throw isEndless
        ? new CloneLimitError("clone_too_large", "it has more files than this service can list")
        : cause;
    });
  const measure = measureTree(listing.stdout, MAX_SEARCHED_FILE_BYTES);
  const { files, bytes } = measure;
  if (bytes <= maxCheckoutBytes) return measure;
  const message =
    `its ${files.toLocaleString("en-US")} files have ${megabytes(bytes)} together, ` +
    `this service allows ${megabytes(maxCheckoutBytes)}`;
  throw new CloneLimitError("clone_too_large", message);
}
