// A checkout that somebody else made: its commit, where its objects are, its repository. Git only reads there, and reaches
// no server. For more than that, use a git folder of your own that borrows the checkout's objects, so that
// the checkout's configuration, which may hold a token or name a program, has no effect.

import { copyFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createGit, type Git, GitError, type GitProgram } from "./git.ts";
import { makeRepository } from "./make-repository.ts";
import type { ObjectFormat } from "./object-names.ts";

const NONE = [0, 1, 5, 128];
/** The full name of HEAD where it names no branch. */
const DETACHED = "HEAD";

export type FoundCheckout = {
  /** Absolute path of its tree. */
  readonly root: string;
  readonly headSha: string;
  /** The tree of that commit. */
  readonly headTree: string;
  /** Null where no branch is checked out. */
  readonly ref: string | null;
  /** `owner/name`, or as much of a path as its origin has; null without an origin. */
  readonly repository: string | null;
  readonly objectFormat: ObjectFormat;
  /** Absolute paths in its git folder. */
  readonly objects: string;
  readonly shallow: string;
};

export type CheckoutPlace = Pick<GitProgram, "environment" | "home" | "gitPath" | "timeoutMs"> & {
  readonly root: string;
};

/** Null where `root` is no checkout, or one without a commit. Throws a GitError when git does not start. */
export async function readCheckout(place: CheckoutPlace, signal: AbortSignal): Promise<FoundCheckout | null> {
  const { root } = place;
  if (!(await exists(join(root, ".git")))) return null;
  const git = gitIn(place);
  const facts = ["--show-object-format", "--git-path", "objects", "--git-path", "shallow"];
  try {
    const asked = linesOf(git, {
      args: ["rev-parse", ...facts, "HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD"],
      signal,
    });
    const configured = linesOf(git, {
      args: ["config", "--local", "--get", "remote.origin.url"],
      signal,
      allowedExitCodes: NONE,
    });
    // Both have ended before anything is returned: the caller may remove git's home.
    await Promise.allSettled([asked, configured]);
    const [format, objects = "", shallow = "", headSha = "", headTree = "", name = "", ...more] = await asked;
    const [origin = ""] = await configured;
    if (name === "" || more.length > 0) return null;
    return {
      root,
      headSha,
      headTree,
      ref: name === DETACHED ? null : name,
      repository: repositoryOf(origin),
      objectFormat: format === "sha256" ? "sha256" : "sha1",
      objects: resolve(root, objects),
      shallow: resolve(root, shallow),
    };
  } catch (cause) {
    if (cause instanceof GitError && cause.code === "git_failed") return null;
    throw cause;
  }
}

/** The commit of a branch of its origin, as the checkout last saw it; null where it has not got it. */
export async function readOriginBranch(
  place: CheckoutPlace,
  branch: string,
  signal: AbortSignal,
): Promise<string | null> {
  const name = `refs/remotes/origin/${branch}^{commit}`;
  const args = ["rev-parse", "--verify", "--quiet", name];
  const [sha = null] = await linesOf(gitIn(place), { args, signal, allowedExitCodes: NONE });
  return sha;
}

/** The parents that a commit's object names, as `cat-file commit` prints it. Pure. */
export function parentsIn(commit: string): string[] {
  const [header = ""] = commit.split("\n\n", 1);
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, sha = ""]) => sha);
}

/** The nearest folder from here up that is a checkout's root. */
export async function findCheckoutRoot(from: string): Promise<string | null> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (await exists(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

type Borrowing = {
  /** Of the borrowing git folder. */
  readonly git: Git;
  readonly gitFolder: string;
  /** Whether it has no files. Default: false. */
  readonly isBare?: boolean;
  readonly from: FoundCheckout;
  readonly signal: AbortSignal;
};

/** Makes a git folder that knows the checkout's commits and nothing of its configuration. */
export async function borrowObjects({
  git,
  gitFolder,
  isBare = false,
  from,
  signal,
}: Borrowing): Promise<void> {
  const { objectFormat, headSha: head } = from;
  await makeRepository({ git, gitFolder, objectFormat, isBare, head, signal });
  await writeFile(join(gitFolder, "objects", "info", "alternates"), `${from.objects}\n`);
  await copyFile(from.shallow, join(gitFolder, "shallow")).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
  });
}

function gitIn({ root, ...program }: CheckoutPlace): Git {
  return createGit({ ...program, gitFolder: join(root, ".git"), treeFolder: root });
}

async function linesOf(git: Git, call: Parameters<Git>[0]): Promise<string[]> {
  const text = (await git(call)).stdout.toString("utf8");
  return text.split("\n").filter((line) => line !== "");
}

/** The last two names of a URL's path, or of the path that ssh is given. */
function repositoryOf(origin: string): string | null {
  const path = URL.parse(origin)?.pathname ?? origin.replace(/^[^/]*:/, "/");
  const names = path
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter((name) => name !== "");
  return names.length === 0 ? null : names.slice(-2).join("/");
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
