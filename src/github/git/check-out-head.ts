// Checks out the head of the pull request that a comment is on: the job of a comment starts on the default branch. For
// the embedded service, which works on the job's checkout.

import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Git, GitError } from "../../base/git-process.ts";
import type { Environment } from "../../ci/provider.ts";
import { isBranchName } from "../../contract/runs/pull-request.ts";
import { StepError } from "../../job/step-error.ts";
import { githubSays, gitTrouble } from "./git-trouble.ts";
import { credentialOf, jobGit, repositoryUrl } from "./job-git.ts";

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
const PATIENCE = 5;

/**
 * Does nothing where the head is checked out already. Rejects with StepError on failure, and leaves the checkout as it
 * was. Also fetches the base branch as origin's: the agent's instructions are read from there.
 */
export async function checkOutHead(options: HeadOptions): Promise<void> {
  const { env, pullRequest, signal } = options;
  const root = resolve(env.GITHUB_WORKSPACE || ".");
  if (!(await isThere(join(root, ".git")))) {
    throw new StepError("checkout_missing", `This job has no checkout to work on. ${ADVICE}`);
  }
  const home = await mkdtemp(join(env.RUNNER_TEMP || tmpdir(), "agent-service-git-"));
  try {
    const git = jobGit({ env, home, gitFolder: join(root, ".git"), treeFolder: root });
    await checkOut(git, options);
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof GitError)) throw cause;
    const says = githubSays(cause);
    const because = says === "" ? cause.message : `${cause.message} ${says}`;
    const fix =
      gitTrouble(cause) === "not_permitted" ? 'Give the job "permissions: contents: read".' : ADVICE;
    const message = `The head of pull request #${pullRequest.number} could not be checked out: ${because} ${fix}`;
    throw new StepError("checkout_failed", message, { cause });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const ADVICE =
  'Add "uses: actions/checkout@v5" before this step, with ' +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
  '"ref: refs/pull/${{ github.event.issue.number }}/head".';

async function checkOut(git: Git, options: HeadOptions): Promise<void> {
  const { pullRequest, signal } = options;
  const { number, headSha } = pullRequest;
  const word = async (args: readonly string[], allowedExitCodes: readonly number[] = [0]) =>
    (await git({ args, signal, allowedExitCodes })).stdout.toString("latin1").trim();
  if ((await word(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], [0, 1, 128])) === headSha) return;
  const isClean = (await word(["status", "--porcelain", "--untracked-files=no"])) === "";
  if (!isClean) {
    throw new StepError(
      "checkout_changed",
      `An earlier step has changed files of the checkout, and the head of pull request #${number} is not checked out. ${ADVICE}`,
    );
  }
  await fetchHeadAndBase(git, {
    ...options,
    isShallow: (await word(["rev-parse", "--is-shallow-repository"])) === "true",
  });
  await git({ args: ["checkout", "--quiet", "--detach", headSha], signal, patience: PATIENCE });
}

async function fetchHeadAndBase(
  git: Git,
  { env, pullRequest, token, setSecret, signal, isShallow }: HeadOptions & { isShallow: boolean },
): Promise<void> {
  const { headSha, baseRef } = pullRequest;
  const base = isBranchName(baseRef) ? [`+refs/heads/${baseRef}:refs/remotes/origin/${baseRef}`] : [];
  const depth = isShallow ? [`--depth=${DEPTH}`] : [];
  const url = repositoryUrl(env, env.GITHUB_REPOSITORY ?? "");
  const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", ...depth, url, headSha, ...base];
  await git({
    args,
    signal,
    patience: PATIENCE,
    ...(token === "" ? {} : { env: credentialOf({ env, token, setSecret }) }),
  });
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
