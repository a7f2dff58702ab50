// Fetches what a pull request is compared with: actions/checkout fetches one commit, which shows no change. For the embedded
// service, which works on the job's checkout.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { type FoundCheckout, parentsIn, readCheckout } from "../../base/git/found-checkout.ts";
import { type Git, GitError } from "../../base/git/git.ts";
import { isBranchName } from "../../contract/runs/pull-request.ts";
import type { HeadOptions } from "./check-out-head.ts";
import { fetchCommits, takeShallow } from "./fetch-commits.ts";
import { codeHostMessage, gitFailureOf } from "./git-failure.ts";
import { jobGit } from "./job-git.ts";

export type BaseOptions = HeadOptions & { readonly clock: Clock };

/** As much history as a service fetches; where that is too much, the commits that are compared and no more. */
const MERGE_DEPTHS = [50, 2];
/** The head and its base may have parted long ago. */
const HEAD_DEPTHS = [100];
const MAX_BYTES = 300_000_000;
/** Of the job's two minutes. */
const TIMEOUT_FACTOR = 1;

/**
 * Null where the checkout shows the change of the pull request, maybe after a fetch; else a text that says why it does not,
 * and what to do. Rejects only when the signal aborts. A checkout of another commit is left alone: the run refuses it.
 */
export async function fetchBase(options: BaseOptions): Promise<string | null> {
  const { env, signal, pullRequest } = options;
  const root = resolve(env.GITHUB_WORKSPACE || ".");
  const folder = await mkdtemp(join(env.RUNNER_TEMP || tmpdir(), "agent-service-git-"));
  try {
    const home = join(folder, "home");
    await mkdir(home);
    const found = await readCheckout({ root, home, environment: env }, signal);
    if (found === null) return null;
    const git = jobGit({ env, home, gitFolder: join(root, ".git"), treeFolder: root });
    const comparison = await comparisonOf({ ...options, git, found });
    if (comparison === null || (await comparison.isVisible())) return null;
    for (const depth of comparison.depths) {
      const fetchFolder = join(folder, `fetch-${depth}.git`);
      const failure = await fetchInto({ ...options, git, found, home, fetchFolder, comparison, depth });
      if (failure === null && (await comparison.isVisible())) return null;
      if (failure !== null && depth === comparison.depths.at(-1)) {
        return unseen(pullRequest.number, { why: failureText(failure), fix: comparison.fix });
      }
    }
    return unseen(pullRequest.number, {
      why: "its history and that of its base do not meet.",
      fix: comparison.fix,
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof GitError)) throw cause;
    // Without git there is no run either, and the run says so.
    return null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Comparison = {
  readonly wanted: readonly string[];
  readonly depths: readonly number[];
  readonly isVisible: () => Promise<boolean>;
  /** What the workflow's author can do. */
  readonly fix: string;
};

type Checked = Pick<BaseOptions, "pullRequest" | "signal"> & {
  readonly git: Git;
  readonly found: FoundCheckout;
};

/** Null for a commit that is neither GitHub's merge of the head nor the head itself. */
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
      fix: "fetch-depth: 2",
    };
  }
  if (found.headSha !== headSha || !isBranchName(baseRef)) return null;
  const tip = `refs/remotes/origin/${baseRef}`;
  return {
    wanted: [headSha, `+refs/heads/${baseRef}:${tip}`],
    depths: HEAD_DEPTHS,
    isVisible: () => succeeds(["merge-base", tip, found.headSha]),
    fix: "fetch-depth: 0",
  };
}

type BaseFetch = BaseOptions & {
  readonly git: Git;
  readonly found: FoundCheckout;
  readonly home: string;
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

function failureText(failure: GitError): string {
  if (gitFailureOf(failure) === "not_permitted") return 'the job lacks "permissions: contents: read".';
  const text = codeHostMessage(failure);
  return text === "" ? failure.message : `${failure.message} ${text}`;
}

function unseen(number: number, { why, fix }: { why: string; fix: string }): string {
  return (
    `The agent cannot see what pull request #${number} changes: the checkout lacks its base, which could not be fetched: ` +
    `${why} Give actions/checkout "${fix}".`
  );
}
