// The workspace port over a checkout that is there already: runs work in its very files, and what they change stays.
// Its git folder is never written, nor its configuration obeyed: each run asks through a git folder of its own, which
// borrows the checkout's objects.

import { copyFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ok, type Result, refused } from "../../base/result.ts";
import { protectedPathGuard } from "../../contract/protected-paths.ts";
import type {
  Workspace,
  WorkspaceProvider,
  WorkspaceRefusal,
  WorkspaceSource,
} from "../core/ports/workspace.ts";
import { type Checkout, readCheckout } from "./checkout-facts.ts";
import { checkedOutPullRequest } from "./checkout-pull-request.ts";
import type { PullRequestBase } from "./fetch-pull-request.ts";
import { measureTree } from "./git-output.ts";
import { type Git, GitError } from "./git-process.ts";
import { gitWorkspace } from "./git-workspace.ts";
import { makeRunFolder, type RunFolder, removeFolder } from "./run-folder.ts";
import { gitOf, type RunGitOptions, withoutRepository } from "./run-git.ts";
import { recordState } from "./working-changes.ts";

/** Git reads a file whole to search it. */
const MAX_SEARCHED_FILE_BYTES = 5_000_000;

export type CheckoutWorkspacesOptions = RunGitOptions & {
  /** The checkout's tree. */
  readonly root: string;
};

/**
 * Opens the one checkout, for a run and for its children at the same time: they share its files. What lay there before
 * a run is no change of that run. `close()` leaves the files as they are.
 */
export function checkoutWorkspaces(options: CheckoutWorkspacesOptions): WorkspaceProvider {
  const settings = { ...options, root: resolve(options.root), folder: resolve(options.folder) };
  return {
    open: (source, signal) => openCheckout(settings, { source, signal }),
    ...withoutRepository(settings),
  };
}

async function openCheckout(
  options: CheckoutWorkspacesOptions,
  { source, signal }: { source: WorkspaceSource; signal: AbortSignal },
): Promise<Result<Workspace, WorkspaceRefusal>> {
  signal.throwIfAborted();
  const own = await makeRunFolder(options.folder, source.runId);
  const folder = { ...own, tree: options.root };
  try {
    const checkout = await readCheckout({ ...options, home: folder.home }, signal);
    const fault = faultOf(checkout, source);
    if (checkout === null || fault !== null) {
      await removeFolder(folder.path);
      return refused({ reason: "workspace_failed", detail: `${fault} ${ADVICE}` });
    }
    const git = gitOf(options, folder);
    await borrow({ git, folder, checkout, signal });
    const place = { ...options, home: folder.home };
    const pullRequest = await checkedOutPullRequest({ git, place, checkout, source, signal });
    if (!pullRequest.ok) {
      await removeFolder(folder.path);
      return pullRequest;
    }
    const base = pullRequest.value;
    return ok(await workspaceOf({ git, folder, source: { ...source, sha: checkout.headSha }, base, signal }));
  } catch (cause) {
    await removeFolder(folder.path);
    signal.throwIfAborted();
    if (!(cause instanceof GitError)) throw cause;
    const detail = `The checkout of ${source.repository} could not be used. ${cause.message} ${ADVICE}`;
    return refused({ reason: "workspace_failed", detail });
  }
}

const ADVICE = 'Add "uses: actions/checkout@v5" before this step.';

/** Null when it is a checkout of that repository. One without an origin is believed. */
function faultOf(checkout: Checkout | null, { repository }: WorkspaceSource): string | null {
  if (checkout === null) return `This job has no checkout of ${repository} to work on.`;
  const found = checkout.repository;
  // Of an address no more than two names are known; a GitLab project may be deeper in groups.
  if (found === null || isEndOf(found.toLowerCase(), repository.toLowerCase())) return null;
  return `The checkout in this job is one of ${found}, not of ${repository}.`;
}

function isEndOf(found: string, repository: string): boolean {
  return found === repository || (found.includes("/") && repository.endsWith(`/${found}`));
}

type Borrowed = {
  readonly git: Git;
  readonly folder: RunFolder;
  readonly checkout: Checkout;
  readonly signal: AbortSignal;
};

/** Makes a git folder that knows the checkout's commits, and nothing of its settings. */
async function borrow({ git, folder, checkout, signal }: Borrowed): Promise<void> {
  const init = ["init", "--quiet", "--template=", `--object-format=${checkout.objectFormat}`];
  await git({ args: init, signal });
  await writeFile(join(folder.git, "objects", "info", "alternates"), `${checkout.objects}\n`);
  await copyFile(checkout.shallow, join(folder.git, "shallow")).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
  });
  await git({ args: ["update-ref", "--no-deref", "HEAD", checkout.headSha], signal });
}

async function workspaceOf(open: {
  git: Git;
  folder: RunFolder;
  source: WorkspaceSource;
  base: PullRequestBase | null;
  signal: AbortSignal;
}): Promise<Workspace> {
  const { git, folder, source, base, signal } = open;
  const isProtected = protectedPathGuard();
  const ask = (call: Omit<Parameters<Git>[0], "signal">) => git({ ...call, signal });
  const listing = await ask({ args: ["ls-tree", "-r", "-l", "-z", "--full-tree", source.sha] });
  const { largeFiles } = measureTree(listing.stdout, MAX_SEARCHED_FILE_BYTES);
  const since = await recordState({ ask, folder, headSha: source.sha, isProtected });
  const files = { unsearched: largeFiles, isProtected, since };
  const opened = gitWorkspace({ git, folder, source, base, ...files, signal });
  // Commands see the checkout's own, without its secrets: the borrowed one's objects lie elsewhere.
  const { gitFolder: _borrowed, ...workspace } = opened;
  // What the session's last run left lies in the tree already, and nothing here may reset somebody's files.
  return { ...workspace, isShared: true, restore: async () => ok(null) };
}
