// Fetches the base of a pull request: CI systems fetch a commit or a few, which show no change. For the embedded service, which
// works on the job's checkout.

import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { parentsIn } from "../../base/git/found-checkout.ts";
import { GitError } from "../../base/git/git.ts";
import { isBranchName } from "../../contract/runs/pull-request.ts";
import { fetchCommits, takeShallow } from "./fetch-commits.ts";
import { codeHostMessage, gitFailureOf } from "./git-failure.ts";
import { type JobCheckout, type JobCheckoutPlace, withJobCheckout } from "./job-checkout.ts";
import type { GitHost } from "./job-git.ts";

type BaseOptions = JobCheckoutPlace & {
  readonly pullRequest: { readonly headSha: string; readonly baseRef: string };
  readonly host: GitHost;
  readonly clock: Clock;
  readonly words: BaseWords;
};

/** Words of the job's users for what they see and set. */
type BaseWords = {
  /** "pull request #7". */
  readonly subject: string;
  /** Why the code host refuses the job's token: a sentence. */
  readonly notPermitted: string;
  /** The advice for so many commits of history: a sentence. 0 is all of it. */
  readonly setDepth: (commits: 0 | 2) => string;
};

export type BaseFetched =
  | { readonly type: "visible" }
  /** The checkout is of another commit, or there is none: nothing is fetched, and the run says what it makes of it. */
  | { readonly type: "other_commit" }
  /** `notice` says why, and what to do. */
  | { readonly type: "unseen"; readonly notice: string };

/** As much history as a service fetches; where that is too much, the commits that are compared and no more. */
const MERGE_DEPTHS = [50, 2];
/** The head and its base may have parted long ago. */
const HEAD_DEPTHS = [100];
const MAX_BYTES = 300_000_000;
/** Of the job's two minutes. */
const TIMEOUT_FACTOR = 1;

/** Whether the checkout shows the change of the pull request, maybe after a fetch. Rejects only when the signal aborts. */
export async function fetchBase(options: BaseOptions): Promise<BaseFetched> {
  const { signal } = options;
  try {
    return await withJobCheckout(options, async (checkout) =>
      checkout === null ? { type: "other_commit" } : await fetchFor({ ...options, ...checkout }),
    );
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof GitError)) throw cause;
    // Without git there is no run either, and the run says so.
    return { type: "other_commit" };
  }
}

async function fetchFor(options: BaseOptions & JobCheckout): Promise<BaseFetched> {
  const { folder, words } = options;
  const comparison = await comparisonOf(options);
  if (comparison === null) return { type: "other_commit" };
  if (await comparison.isVisible()) return { type: "visible" };
  let why = "its history and that of its base do not meet.";
  for (const depth of comparison.depths) {
    const fetchFolder = join(folder, `fetch-${depth}.git`);
    const failure = await fetchInto({ ...options, fetchFolder, comparison, depth });
    if (failure === null && (await comparison.isVisible())) return { type: "visible" };
    if (failure !== null && depth === comparison.depths.at(-1)) why = failureText(failure, words);
  }
  return { type: "unseen", notice: unseenText(words, { why, commits: comparison.commits }) };
}

type Comparison = {
  readonly wanted: readonly string[];
  readonly depths: readonly number[];
  readonly isVisible: () => Promise<boolean>;
  /** The commits of history that the checkout needs. */
  readonly commits: 0 | 2;
};

type Checked = Pick<BaseOptions, "pullRequest" | "signal"> & Pick<JobCheckout, "git" | "found">;

/** Null for a commit that is neither the code host's merge of the head nor the head itself. */
async function comparisonOf({ git, found, pullRequest, signal }: Checked): Promise<Comparison | null> {
  const { headSha, baseRef } = pullRequest;
  const succeeds = async (args: readonly string[]) =>
    (await git({ args, signal, allowedExitCodes: [0, 1, 128] })).exitCode === 0;
  const [base, head, ...more] = parentsIn(
    (await git({ args: ["cat-file", "commit", found.headSha], signal })).stdout.toString("latin1"),
  );
  if (base !== undefined && head === headSha && more.length === 0) {
    return {
      wanted: [found.headSha],
      depths: MERGE_DEPTHS,
      isVisible: () => succeeds(["merge-base", "--is-ancestor", base, found.headSha]),
      commits: 2,
    };
  }
  if (found.headSha !== headSha || !isBranchName(baseRef)) return null;
  const tip = `refs/remotes/origin/${baseRef}`;
  return {
    wanted: [headSha, `+refs/heads/${baseRef}:${tip}`],
    depths: HEAD_DEPTHS,
    isVisible: () => succeeds(["merge-base", tip, found.headSha]),
    commits: 0,
  };
}

type BaseFetch = BaseOptions &
  JobCheckout & {
    readonly fetchFolder: string;
    readonly comparison: Comparison;
    readonly depth: number;
  };

/** Null where it succeeded. */
async function fetchInto(fetch: BaseFetch): Promise<GitError | null> {
  const { git, comparison, signal, clock } = fetch;
  try {
    const limits = { maxBytes: MAX_BYTES, timeoutFactor: TIMEOUT_FACTOR, clock };
    const fetching = await fetchCommits({ ...fetch, wanted: comparison.wanted, limits });
    await takeShallow(fetch);
    for (const refspec of comparison.wanted) {
      const [, ref] = refspec.split(":");
      if (ref === undefined) continue;
      const sha = (await fetching({ args: ["rev-parse", ref], signal })).stdout.toString("latin1").trim();
      await git({ args: ["update-ref", ref, sha], signal });
    }
    return null;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof GitError) return cause;
    throw cause;
  }
}

function failureText(failure: GitError, { notPermitted }: BaseWords): string {
  if (gitFailureOf(failure) === "not_permitted") return notPermitted;
  const text = codeHostMessage(failure);
  return text === "" ? failure.message : `${failure.message} ${text}`;
}

function unseenText(
  { subject, setDepth }: BaseWords,
  { why, commits }: { readonly why: string; readonly commits: 0 | 2 },
): string {
  return (
    `The agent cannot see what ${subject} changes: the checkout lacks its base, which could not be fetched: ` +
    `${why} ${setDepth(commits)}`
  );
}
