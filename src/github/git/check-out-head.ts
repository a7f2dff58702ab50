// Checks out the head of the pull request that a comment is on: the job of a comment starts on the default branch. For
// the embedded service, which works on the job's checkout.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type FoundCheckout, readCheckout } from "../../base/git/found-checkout.ts";
import { type Git, GitError } from "../../base/git/git.ts";
import type { Environment } from "../../ci/provider.ts";
import { isBranchName } from "../../contract/runs/pull-request.ts";
import { StepError } from "../../job/step-error.ts";
import { fetchCommits, isThere, takeShallow } from "./fetch-commits.ts";
import { codeHostMessage, gitFailureOf } from "./git-failure.ts";
import { jobGit } from "./job-git.ts";

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
  const root = resolve(env.GITHUB_WORKSPACE || ".");
  const folder = await mkdtemp(join(env.RUNNER_TEMP || tmpdir(), "agent-service-git-"));
  try {
    const home = join(folder, "home");
    await mkdir(home);
    const found = await readCheckout({ root, home, environment: env }, signal);
    if (found === null) {
      throw new StepError("checkout_missing", `This job has no checkout to work on. ${ADVICE}`);
    }
    if (found.headSha === pullRequest.headSha) return;
    const git = jobGit({ env, home, gitFolder: join(root, ".git"), treeFolder: root });
    await checkOut({ ...options, git, found, home, fetchFolder: join(folder, "fetch.git") });
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof GitError)) throw cause;
    const text = codeHostMessage(cause);
    const because = text === "" ? cause.message : `${cause.message} ${text}`;
    const fix =
      gitFailureOf(cause) === "not_permitted" ? 'Give the job "permissions: contents: read".' : ADVICE;
    const message = `The head of pull request #${pullRequest.number} could not be checked out: ${because} ${fix}`;
    throw new StepError("checkout_failed", message, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const ADVICE =
  'Add "uses: actions/checkout@v5" before this step, with ' +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
  '"ref: refs/pull/${{ github.event.issue.number }}/head".';

type HeadCheckout = HeadOptions & {
  /** Of the checkout: its configuration counts here, so that these calls reach no server and see no token. */
  readonly git: Git;
  readonly found: FoundCheckout;
  readonly home: string;
  /** For a git folder of our own, in which nothing but our configuration counts. */
  readonly fetchFolder: string;
};

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
  const fetching = await fetchHeadAndBase(work);
  await takeShallow(work);
  if (isBranchName(baseRef)) {
    const ref = `refs/remotes/origin/${baseRef}`;
    await git({ args: ["update-ref", ref, await wordOf(fetching, ["rev-parse", ref])], signal });
  }
  await git({ args: ["checkout", "--quiet", "--detach", headSha], signal, timeoutFactor: TIMEOUT_FACTOR });
}

/** Fetches both into the checkout's objects. Returns the git that knows them by name. */
async function fetchHeadAndBase(work: HeadCheckout): Promise<Git> {
  const { pullRequest, found } = work;
  const { headSha, baseRef } = pullRequest;
  const base = isBranchName(baseRef) ? [`+refs/heads/${baseRef}:refs/remotes/origin/${baseRef}`] : [];
  const depth = (await isThere(found.shallow)) ? DEPTH : null;
  return await fetchCommits({ ...work, wanted: [headSha, ...base], depth });
}
