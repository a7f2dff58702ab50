// Fetches the head of a pull request and its base branch. The commit of the run has to be in the history of the head:
// a server also gives commits that are not of the pull request.

import type { Git } from "../../base/git/git.ts";
import type { PullRequestSource } from "../core/checkouts/checkout.ts";
import { checkStoredBytes } from "./clone-limits.ts";
import { fetchHistory, type HistoryFetch } from "./fetch-history.ts";

const HEAD = "refs/pull-request/head";
const BASE = "refs/pull-request/base";
/** Where the head or the base has moved on by more than the usual depth, one longer fetch follows. */
const LONGER = 10;

/** The base that a pull request is compared with. */
export type PullRequestBase = {
  /** The newest commit of the branch that it goes to. */
  readonly tip: string;
  /** The commit at which it left that branch. Null where the histories that are here do not meet. */
  readonly mergeBase: string | null;
};

type PullRequestFetch = Omit<HistoryFetch, "wanted" | "times"> & {
  readonly gitFolder: string;
  readonly pullRequest: PullRequestSource;
  readonly baseRef: string;
  readonly sha: string;
};

/** The commit is not in the history of the head. `message` goes on after "Could not clone owner/name at 1a2b3c4: ". */
export class PullRequestMovedError extends Error {
  override readonly name = "PullRequestMovedError";
  readonly code = "pull_request_moved";
}

/** Fetches both; returns the base. Throws a PullRequestMovedError, or as `fetchHistory` does. */
export async function fetchPullRequest(fetch: PullRequestFetch): Promise<PullRequestBase> {
  const { git, pullRequest, baseRef, sha, signal, limits, gitFolder } = fetch;
  const wanted = [`+${pullRequest.headRef}:${HEAD}`, `+refs/heads/${baseRef}:${BASE}`];
  for (const times of [1, LONGER]) {
    await fetchHistory({ ...fetch, wanted, times });
    await checkStoredBytes(gitFolder, limits);
    const isThere = (await linesOf(git, ["rev-list", HEAD], signal)).includes(sha);
    const asked = ["rev-parse", BASE, "--is-shallow-repository"];
    const [tip = "", isShallow] = await linesOf(git, asked, signal);
    const mergeBase = isThere ? await findMergeBase(git, [sha, tip], signal) : null;
    const isAll = times === LONGER || isShallow === "false";
    if (isThere && (mergeBase !== null || isAll)) return { tip, mergeBase };
    if (isAll) break;
  }
  const message = `pull request ${pullRequest.number} does not have this commit any more; its head moved away by a force push. Comment again, on the commits that it has now`;
  throw new PullRequestMovedError(message);
}

/** The newest commit that both have; null where the histories that are here do not meet. */
export async function findMergeBase(
  git: Git,
  [one, other]: readonly [string, string],
  signal: AbortSignal,
): Promise<string | null> {
  const args = ["merge-base", one, other];
  const { stdout } = await git({ args, signal, allowedExitCodes: [0, 1] });
  return stdout.toString("latin1").trim() || null;
}

async function linesOf(git: Git, args: readonly string[], signal: AbortSignal): Promise<string[]> {
  return (await git({ args, signal })).stdout.toString("latin1").trim().split("\n");
}
