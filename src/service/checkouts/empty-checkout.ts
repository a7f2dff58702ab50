// The checkout of a run whose agent has no repository: a repository of its own, with one commit that holds nothing,
// so that every call of git works on it as on a clone.

import { type Git, GitError } from "../../base/git/git.ts";
import { makeRepository } from "../../base/git/make-repository.ts";
import { EMPTY_TREE } from "../../base/git/object-names.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import type { Checkout, CheckoutRefusal } from "../core/checkouts/checkout.ts";
import { StorageFullError } from "../core/ports/storage-full.ts";
import { isFullDisk } from "./full-disk.ts";
import { gitCheckout } from "./git-checkout.ts";
import { type RunFolder, removeFolder } from "./run-folder.ts";

const BRANCH = "main";
const COMMITTER = ["user.name=agent-service", "user.email=agent-service@localhost"];
/** The same each time: the run's next worker has the same commit. */
const COMMITTED_AT = "1767225600 +0000";
const DATES = { GIT_AUTHOR_DATE: COMMITTED_AT, GIT_COMMITTER_DATE: COMMITTED_AT };

type EmptyCheckout = {
  readonly git: Git;
  readonly folder: RunFolder;
  readonly signal: AbortSignal;
};

/** Makes the repository in `folder`, which it owns from now on. Throws the signal's reason when it aborts. */
export async function openEmptyCheckout(empty: EmptyCheckout): Promise<Result<Checkout, CheckoutRefusal>> {
  const { git, folder, signal } = empty;
  try {
    const sha = await commitNothing(empty);
    signal.throwIfAborted();
    const source = { sha, ref: `refs/heads/${BRANCH}`, event: "none", baseRef: null };
    return ok(gitCheckout({ git, folder, source, isTrusted: true, unsearched: [], signal }));
  } catch (cause) {
    const isFull = await isFullDisk(cause, folder.path);
    await removeFolder(folder.path);
    signal.throwIfAborted();
    if (isFull) throw new StorageFullError(cause);
    if (!(cause instanceof GitError)) throw cause;
    const detail = `An empty checkout could not be made. ${cause.message} Tell the service's operator.`;
    return refused({ reason: "service_fault", detail });
  }
}

/** Returns the commit's name. */
async function commitNothing({ git, folder, signal }: EmptyCheckout): Promise<string> {
  const tell = async (args: readonly string[], config: readonly string[] = []): Promise<string> =>
    (await git({ args, config, env: DATES, signal })).stdout.toString("latin1").trim();
  await makeRepository({
    git,
    gitFolder: folder.git,
    objectFormat: "sha1",
    head: `refs/heads/${BRANCH}`,
    signal,
  });
  const sha = await tell(["commit-tree", "-m", "Nothing yet", EMPTY_TREE], COMMITTER);
  await tell(["update-ref", "HEAD", sha]);
  return sha;
}
