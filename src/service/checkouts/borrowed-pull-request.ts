// The pull request of a checkout that somebody else made, compared with the one that a run is about.

import {
  type CheckoutPlace,
  type FoundCheckout,
  parentsIn,
  readOriginBranch,
} from "../../base/git/found-checkout.ts";
import type { Git } from "../../base/git/git.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import type { CheckoutRefusal, CheckoutSource } from "../core/checkouts/checkout.ts";
import { findMergeBase, type PullRequestBase } from "./fetch-pull-request.ts";

type CheckedOut = {
  /** Of a git folder that knows the checkout's commits. */
  readonly git: Git;
  readonly place: CheckoutPlace;
  readonly jobCheckout: FoundCheckout;
  readonly source: CheckoutSource;
  readonly signal: AbortSignal;
};

/**
 * What the pull request is compared with; null where the run is about none, or the checkout does not have the
 * branch that it goes to. Refused where neither its head is checked out nor, in a job of the pull request itself, the
 * provider's merge of it: in anybody else's merge, any commit could be the first parent.
 */
export async function checkedOutPullRequest(
  checkedOut: CheckedOut,
): Promise<Result<PullRequestBase | null, CheckoutRefusal>> {
  const { git, jobCheckout, source, signal } = checkedOut;
  const { pullRequest } = source;
  if (pullRequest === undefined) return ok(null);
  const mergedInto = pullRequest.isJobs ? await baseOfMerge(checkedOut) : null;
  if (jobCheckout.headSha !== source.sha && mergedInto === null) {
    return refused({ reason: "checkout_failed", detail: explain(checkedOut, pullRequest.headRef) });
  }
  const tip =
    (await readOriginBranch(checkedOut.place, source.baseRef ?? "", signal)) ??
    (await presentCommit(checkedOut, mergedInto));
  return ok(
    tip === null ? null : { tip, mergeBase: await findMergeBase(git, [jobCheckout.headSha, tip], signal) },
  );
}

/**
 * What the provider merged the head into; null for any other commit. Read in the commit itself: a shallow history shows
 * no parents.
 */
async function baseOfMerge({ git, source, signal }: CheckedOut): Promise<string | null> {
  const commit = (await git({ args: ["cat-file", "commit", "HEAD"], signal })).stdout.toString("latin1");
  const [base = null, head, ...more] = parentsIn(commit);
  return head === source.sha && more.length === 0 ? base : null;
}

/** The commit, where it can be compared with HEAD: a shallow history may lack it, or not lead to it. */
async function presentCommit({ git, signal }: CheckedOut, sha: string | null): Promise<string | null> {
  if (sha === null) return null;
  const args = ["merge-base", "--is-ancestor", sha, "HEAD"];
  const { exitCode } = await git({ args, signal, allowedExitCodes: [0, 1, 128] });
  return exitCode === 0 ? sha : null;
}

function explain({ jobCheckout, source }: CheckedOut, headRef: string): string {
  const [found, expected] = [jobCheckout.headSha, source.sha].map((sha) => sha.slice(0, 7));
  const how = source.provider === "github" ? `: give actions/checkout "ref: ${headRef}"` : `, ${headRef}`;
  return (
    `The checkout in this job is at ${found}, and the run is for ${expected}, of pull request ` +
    `${source.pullRequest?.number} of ${source.repository}. Check out its head${how}. ` +
    "Where it has that, the head moved on meanwhile: comment again."
  );
}
