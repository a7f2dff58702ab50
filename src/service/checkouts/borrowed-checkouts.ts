// The checkout port over a checkout that exists already: runs work in its files, and what they change stays. Its git
// folder is never written, and its configuration has no effect: each run has a git folder of its own, which borrows the
// checkout's objects.
// Why: docs/decisions/018-the-checkout-is-borrowed.md

import { resolve } from "node:path";
import { borrowObjects, type FoundCheckout, readCheckout } from "../../base/git/found-checkout.ts";
import { type Git, GitError } from "../../base/git/git.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { areFilesTrusted, isCommitTrusted } from "../../contract/ci/events.ts";
import { ciProviders, isCiProvider } from "../../contract/ci/providers.ts";
import { PathRules, protectedPathGuard } from "../../contract/paths/path-rules.ts";
import type {
  Checkout,
  CheckoutProvider,
  CheckoutRefusal,
  CheckoutSource,
} from "../core/checkouts/checkout.ts";
import { checkedOutPullRequest } from "./borrowed-pull-request.ts";
import type { PullRequestBase } from "./fetch-pull-request.ts";
import { findCoveredFiles } from "./find-covered-files.ts";
import { gitCheckout } from "./git-checkout.ts";
import { measureTree } from "./git-output.ts";
import { makeRunFolder, type RunFolder, removeFolder } from "./run-folder.ts";
import { gitOf, type RunGitOptions, withoutRepository } from "./run-git.ts";
import { recordState } from "./working-changes.ts";

/** Git reads a file whole to search it. */
const MAX_SEARCHED_FILE_BYTES = 5_000_000;

type BorrowedCheckoutsOptions = RunGitOptions & {
  /** The checkout's tree. */
  readonly root: string;
  /** Rules for paths that act and that are secret. Default: the known paths of the contract. */
  readonly rules?: PathRules;
};

/**
 * Opens the one checkout, for a run and for its children at the same time: they share its files. What lay there before
 * a run is no change of that run. `close()` leaves the files as they are.
 */
export function borrowedCheckouts(options: BorrowedCheckoutsOptions): CheckoutProvider {
  const settings = { ...options, root: resolve(options.root), folder: resolve(options.folder) };
  return {
    open: (source, signal) => openCheckout(settings, { source, signal }),
    ...withoutRepository(settings),
  };
}

async function openCheckout(
  options: BorrowedCheckoutsOptions,
  { source, signal }: { source: CheckoutSource; signal: AbortSignal },
): Promise<Result<Checkout, CheckoutRefusal>> {
  signal.throwIfAborted();
  const own = await makeRunFolder(options.folder, source.runId);
  const folder = { ...own, tree: options.root };
  try {
    const jobCheckout = await readCheckout({ ...options, home: folder.home }, signal);
    const fault = faultOf(jobCheckout, source);
    if (jobCheckout === null || fault !== null) {
      await removeFolder(folder.path);
      return refused({ reason: "checkout_failed", detail: `${fault} ${adviceFor(source)}` });
    }
    const git = gitOf(options, folder);
    await borrowObjects({ git, gitFolder: folder.git, from: jobCheckout, signal });
    const place = { ...options, home: folder.home };
    const pullRequest = await checkedOutPullRequest({ git, place, jobCheckout, source, signal });
    if (!pullRequest.ok) {
      await removeFolder(folder.path);
      return pullRequest;
    }
    const base = pullRequest.value;
    // The job may have checked out another commit than the one of its event.
    const isEvents = jobCheckout.headSha === source.sha;
    const isTrusted = areFilesTrusted(source) || (isEvents && isCommitTrusted(source));
    const sources = { ...source, sha: jobCheckout.headSha };
    const { headTree } = jobCheckout;
    return ok(await checkoutOf(options, { git, folder, source: sources, headTree, isTrusted, base, signal }));
  } catch (cause) {
    await removeFolder(folder.path);
    signal.throwIfAborted();
    if (!(cause instanceof GitError)) throw cause;
    const detail = `The checkout of ${source.repository} could not be used. ${cause.message} ${adviceFor(source)}`;
    return refused({ reason: "checkout_failed", detail });
  }
}

function adviceFor(source: CheckoutSource): string {
  if (isOnMachine(source)) return "Change to a checkout with a commit.";
  const { provider } = source;
  return isCiProvider(provider) ? ciProviders[provider].checkout.enable : "Check it out before this step.";
}

/** On somebody's own machine there is no job, and no step. */
function isOnMachine({ event }: CheckoutSource): boolean {
  return event === "local";
}

/** Null when it is a checkout of that repository, or when it has no origin. */
function faultOf(jobCheckout: FoundCheckout | null, source: CheckoutSource): string | null {
  const { repository } = source;
  if (jobCheckout === null) {
    return isOnMachine(source)
      ? "There is no commit to work on in this checkout."
      : `This job has no checkout of ${repository} to work on.`;
  }
  const found = jobCheckout.repository;
  // Of the origin the last two names are known; the path of a GitLab project may have more.
  if (found === null || isEndOf(found.toLowerCase(), repository.toLowerCase())) return null;
  return `The checkout is one of ${found}, not of ${repository}.`;
}

function isEndOf(found: string, repository: string): boolean {
  return found === repository || (found.includes("/") && repository.endsWith(`/${found}`));
}

async function checkoutOf(
  { rules = new PathRules(), environment }: BorrowedCheckoutsOptions,
  open: {
    git: Git;
    folder: RunFolder;
    source: CheckoutSource;
    headTree: string;
    isTrusted: boolean;
    base: PullRequestBase | null;
    signal: AbortSignal;
  },
): Promise<Checkout> {
  const { git, folder, source, headTree, isTrusted, base, signal } = open;
  const isProtected = protectedPathGuard([], rules);
  const runGit = (call: Omit<Parameters<Git>[0], "signal">) => git({ ...call, signal });
  const { stdout: listing } = await runGit({
    args: ["ls-tree", "-r", "-l", "-z", "--full-tree", source.sha],
  });
  const { largeFiles } = measureTree(listing, MAX_SEARCHED_FILE_BYTES);
  const since = await recordState({ runGit, folder, headSha: source.sha, isProtected }, headTree);
  const { tree } = since;
  const place = { root: folder.tree, headSha: source.sha, tree, environment };
  const covered = await findCoveredFiles({ runGit, rules, ...place });
  const files = { listing, unsearched: largeFiles, rules, since, covered };
  const opened = gitCheckout({ git, folder, source, isTrusted, base, ...files, isBorrowed: true, signal });
  // Commands see the checkout's own git folder, without its secrets: the objects of the borrowing one are elsewhere.
  const { gitFolder: _borrowed, ...checkout } = opened;
  // What the session's last run changed is in the tree already, and no file of the job may be reset.
  return {
    ...checkout,
    isShared: true,
    restore: async () => ok(null),
  };
}
