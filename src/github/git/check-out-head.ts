// Checks out the head of the pull request that a comment is on: the job of a comment starts on the default branch. For
// the embedded service, which works on the job's checkout.

import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { type Git, GitError } from "../../base/git/git.ts";
import { isBranchName } from "../../contract/runs/pull-request.ts";
import { fetchCommits, isThere, takeShallow } from "../../job/git/fetch-commits.ts";
import { codeHostMessage, gitFailureOf } from "../../job/git/git-failure.ts";
import { type JobCheckout, withJobCheckout } from "../../job/git/job-checkout.ts";
import { StepError } from "../../job/step-error.ts";
import { checkoutPlace, githubHost } from "./github-host.ts";

export type HeadOptions = {
  readonly env: Environment;
  readonly pullRequest: { readonly number: number; readonly headSha: string; readonly baseRef: string };
  readonly token: string;
  /** Masks a value in the job's log. */
  readonly setSecret: (secret: string) => void;
  readonly signal: AbortSignal;
};

/** Commits of each side, to find their common ancestor. */
const DEPTH = 100;
const TIMEOUT_FACTOR = 5;

/**
 * Does nothing where the head is checked out already. Rejects with StepError on failure, and leaves the checkout as it
 * was. Also fetches the base branch as origin's: the agent's instructions are read from there.
 */
export async function checkOutHead(options: HeadOptions): Promise<void> {
  const { env, pullRequest, signal } = options;
  try {
    await withJobCheckout({ ...checkoutPlace(env), signal }, async (checkout) => {
      if (checkout === null) {
        throw new StepError("checkout_missing", `This job has no checkout to work on. ${ADVICE}`);
      }
      if (checkout.found.headSha === pullRequest.headSha) return;
      await checkOut({ ...options, ...checkout });
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof GitError)) throw cause;
    const text = codeHostMessage(cause);
    const because = text === "" ? cause.message : `${cause.message} ${text}`;
    const fix =
      gitFailureOf(cause) === "not_permitted" ? 'Give the job "permissions: contents: read".' : ADVICE;
    const message = `The head of pull request #${pullRequest.number} could not be checked out: ${because} ${fix}`;
    throw new StepError("checkout_failed", message, { cause });
  }
}

const ADVICE =
  'Add "uses: actions/checkout@v7" before this step, with ' +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
  '"ref: refs/pull/${{ github.event.issue.number }}/head".';

type HeadCheckout = HeadOptions & JobCheckout;

async function checkOut(work: HeadCheckout): Promise<void> {
  const { git, pullRequest, signal } = work;
  const { number, headSha, baseRef } = pullRequest;
  const wordOf = async (git: Git, args: readonly string[]) =>
    (await git({ args, signal })).stdout.toString("latin1").trim();
  if ((await wordOf(git, ["status", "--porcelain", "--untracked-files=no"])) !== "") {
    throw new StepError(
      "checkout_changed",
      `An earlier step has changed files of the checkout, and the head of pull request #${number} is not checked out. ${ADVICE}`,
    );
  }
  const fetchFolder = join(work.folder, "fetch.git");
  const fetching = await fetchHeadAndBase(work, fetchFolder);
  await takeShallow({ ...work, fetchFolder });
  if (isBranchName(baseRef)) {
    const ref = `refs/remotes/origin/${baseRef}`;
    await git({ args: ["update-ref", ref, await wordOf(fetching, ["rev-parse", ref])], signal });
  }
  await git({ args: ["checkout", "--quiet", "--detach", headSha], signal, timeoutFactor: TIMEOUT_FACTOR });
}

/** Fetches both into the checkout's objects. Returns the git that knows them by name. */
async function fetchHeadAndBase(work: HeadCheckout, fetchFolder: string): Promise<Git> {
  const { pullRequest, found } = work;
  const { headSha, baseRef } = pullRequest;
  const base = isBranchName(baseRef) ? [`+refs/heads/${baseRef}:refs/remotes/origin/${baseRef}`] : [];
  const depth = (await isThere(found.shallow)) ? DEPTH : null;
  return await fetchCommits({
    ...work,
    host: githubHost(work),
    fetchFolder,
    wanted: [headSha, ...base],
    depth,
  });
}
