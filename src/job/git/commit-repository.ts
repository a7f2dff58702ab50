// A git folder of our own that has the run's commit: it borrows the objects of the job's checkout, and takes objects that these
// lack from the code host. Nothing of the checkout is changed, and none of its configuration counts.

import { appendFile, copyFile, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import {
  borrowObjects,
  type FoundCheckout,
  parentsIn,
  readOriginBranch,
} from "../../base/git/found-checkout.ts";
import { type Git, GitError } from "../../base/git/git.ts";
import { makeRepository } from "../../base/git/make-repository.ts";
import { objectFormatOf } from "../../base/git/object-names.ts";
import { isBranchName } from "../../contract/runs/pull-request.ts";
import { StepError } from "../step-error.ts";
import type { CommitPlace } from "./commit-place.ts";
import { fetchInto } from "./fetch-commits.ts";
import { codeHostMessage, gitFailureOf } from "./git-failure.ts";
import type { GitWorkplace, JobCheckout } from "./job-checkout.ts";
import { type GitHost, jobGit } from "./job-git.ts";
import { missingFiles } from "./pack-commits.ts";
import type { CommitSelection } from "./select-commits.ts";

type RepositoryOptions = {
  readonly place: CommitPlace;
  /** Null where the job has none. */
  readonly checkout: JobCheckout | null;
  readonly workplace: GitWorkplace;
  readonly commit: WantedCommit;
  /** The count of commits that are wanted of each, the newest included. */
  readonly commits: number;
  /** Whether the service holds some of the history, so that most files need not be fetched. */
  readonly isKnown: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

export type WantedCommit = {
  readonly sha: string;
  /** The branch that its pull request goes to; null where it is of none. */
  readonly baseRef: string | null;
};

export type CommitRepository = {
  readonly git: Git;
  readonly gitFolder: string;
  /** The base that the commit is compared with; null where it is of no pull request, or that is not known. */
  readonly base: string | null;
  /** Why there is less history than the service takes; null where it has all that there is. */
  readonly shortfall: string | null;
  /** Whether files of the commit may be missing: the checkout is a partial clone. */
  readonly isPartial: boolean;
  /** Fetches the files that travel with these commits, where they are not here. Null: all are here. */
  readonly fetchFiles: ((selection: CommitSelection) => Promise<void>) | null;
};

const BASE = "refs/pull-request/base";
/** Where head and base do not meet, one longer fetch follows: as a service does it. */
const LONGER = 10;
/** Beyond that, no service takes what the fetch is for. */
const MAX_FETCH_BYTES = 2_000_000_000;
const TIMEOUT_FACTOR = 5;

/** Rejects with a StepError where the commit cannot be had, with GitError where git does not start. */
export async function openCommitRepository(options: RepositoryOptions): Promise<CommitRepository> {
  const { checkout, place } = options;
  const borrowed = checkout === null ? null : await borrow(options, checkout);
  if (borrowed?.isWhole === true) return { ...borrowed, shortfall: null };
  if (place.host === null) {
    if (borrowed?.hasCommit === true) {
      const { getHistory, getFiles } = place.words;
      return { ...borrowed, shortfall: borrowed.isPartial ? getFiles : getHistory };
    }
    throw notFound(options, null);
  }
  try {
    const isUsable = borrowed !== null && !borrowed.isPartial;
    const lean = options.isKnown && !isUsable ? await fetchWithoutFiles(options) : null;
    return lean ?? (await fetchFromHost(options, isUsable ? borrowed : null));
  } catch (cause) {
    options.signal.throwIfAborted();
    if (!(cause instanceof GitError) || cause.code === "git_not_started") throw cause;
    const why = failureText(cause, place);
    if (borrowed?.hasCommit !== true) throw notFound(options, why, cause);
    return { ...borrowed, shortfall: why };
  }
}

type Borrowed = Omit<CommitRepository, "shortfall"> & {
  readonly hasCommit: boolean;
  /** Whether nothing is missing that a service takes. */
  readonly isWhole: boolean;
};

/** Null where the commit's names are of another kind than the checkout's. */
async function borrow(options: RepositoryOptions, checkout: JobCheckout): Promise<Borrowed | null> {
  const { workplace, commit, signal } = options;
  const { found } = checkout;
  if (objectFormatOf(commit.sha) !== found.objectFormat) return null;
  const gitFolder = join(workplace.folder, "borrowed.git");
  const git = jobGit({ env: options.place.env, home: workplace.home, gitFolder, treeFolder: null });
  await borrowObjects({ git, gitFolder, isBare: true, from: found, signal });
  const isPartial = await isPartialClone(found);
  const hasCommit = (await presentCommit(git, { sha: commit.sha, signal })) !== null;
  // Of the base, a partial clone lacks files.
  const base = hasCommit && !isPartial ? await baseInCheckout(options, { checkout, git }) : null;
  const repository = { git, gitFolder, base, isPartial, hasCommit, fetchFiles: null };
  return { ...repository, isWhole: hasCommit && !isPartial && (await hasHistory(options, repository)) };
}

async function isPartialClone({ objects }: FoundCheckout): Promise<boolean> {
  const names = await readdir(join(objects, "pack")).catch(() => []);
  return names.some((name) => name.endsWith(".promisor"));
}

/** The base as the checkout knows it: the first parent of the provider's merge, else the branch as it was fetched. */
async function baseInCheckout(
  options: RepositoryOptions,
  { checkout, git }: { readonly checkout: JobCheckout; readonly git: Git },
): Promise<string | null> {
  const { commit, place, workplace, signal } = options;
  const { baseRef, sha } = commit;
  if (baseRef === null) return null;
  const [base, head, ...more] = parentsIn(await textOf(git, ["cat-file", "commit", "HEAD"], signal));
  const merged = base !== undefined && head === sha && more.length === 0 ? base : null;
  if (!isBranchName(baseRef)) return await presentCommit(git, { sha: merged, signal });
  const { root } = checkout.found;
  const branch = await readOriginBranch(
    { root, home: workplace.home, environment: place.env },
    baseRef,
    signal,
  );
  return (
    (await presentCommit(git, { sha: merged, signal })) ?? (await presentCommit(git, { sha: branch, signal }))
  );
}

/** Whether a repository has as much history as a service takes, and shows where head and base parted. */
async function hasHistory(
  { commit, commits: count, signal }: RepositoryOptions,
  { git, gitFolder, base }: Pick<CommitRepository, "git" | "gitFolder" | "base">,
): Promise<boolean> {
  if (
    commit.baseRef !== null &&
    (base === null || !(await doMeet(git, { heads: [commit.sha, base], signal })))
  )
    return false;
  const ends = (await readFile(join(gitFolder, "shallow"), "latin1").catch(() => "")).split("\n");
  if (ends.every((line) => line === "")) return true;
  if (count < 2) return true;
  const args = ["rev-list", `--max-count=${count - 1}`, commit.sha, "--"];
  const commits = (await textOf(git, args, signal)).split("\n");
  return !commits.some((sha) => sha !== "" && ends.includes(sha));
}

async function doMeet(
  git: Git,
  { heads, signal }: { readonly heads: readonly [string, string]; readonly signal: AbortSignal },
): Promise<boolean> {
  const { exitCode } = await git({ args: ["merge-base", ...heads], signal, allowedExitCodes: [0, 1, 128] });
  return exitCode === 0;
}

type OwnRepository = Pick<CommitRepository, "git" | "gitFolder">;

/** Fetches into our own folder what the borrowed objects lack, or all of it. */
async function fetchFromHost(
  options: RepositoryOptions,
  borrowed: Borrowed | null,
): Promise<CommitRepository> {
  const opened = borrowed ?? (await initRepository(options, "fetched.git"));
  const { git, gitFolder } = opened;
  const base = await fetchHistory(options, { git, gitFolder });
  return { git, gitFolder, base, shortfall: null, isPartial: false, fetchFiles: null };
}

/**
 * Fetches commits and folders alone: of the files, only those are fetched later that travel. Null where that fails; a code
 * host that knows no filters sends all files.
 */
async function fetchWithoutFiles(options: RepositoryOptions): Promise<CommitRepository | null> {
  const { signal } = options;
  try {
    const lean = await initRepository(options, "lean.git");
    const base = await fetchHistory(options, { ...lean, filter: "blob:none" });
    // Git would ask the code host by itself for what is missing, where the folder says that it was promised.
    const own = await initRepository(options, "own.git");
    await copyFile(join(lean.gitFolder, "shallow"), join(own.gitFolder, "shallow")).catch(unlessAbsent);
    const borrowFrom = async ({ gitFolder }: OwnRepository) =>
      await appendFile(
        join(own.gitFolder, "objects", "info", "alternates"),
        `${join(gitFolder, "objects")}\n`,
      );
    await borrowFrom(lean);
    const fetchFiles = async (selection: CommitSelection) => {
      const wanted = await missingFiles({ ...own, selection, signal });
      if (wanted.length === 0) return;
      try {
        await fetchByName(options, { ...lean, wanted });
      } catch (cause) {
        signal.throwIfAborted();
        if (!(cause instanceof GitError)) throw cause;
        // The code host gives no files by their names.
        const whole = await initRepository(options, "whole.git");
        await fetchHistory(options, whole);
        await borrowFrom(whole);
      }
    };
    return { ...own, base, shortfall: null, isPartial: false, fetchFiles };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof GitError && cause.code !== "git_not_started") return null;
    throw cause;
  }
}

async function fetchByName(
  options: RepositoryOptions,
  { git, gitFolder, wanted }: OwnRepository & { readonly wanted: readonly string[] },
): Promise<void> {
  const { signal } = options;
  const objects = join(gitFolder, "objects");
  const host = hostOf(options);
  await fetchInto({
    git,
    host,
    wanted,
    depth: null,
    objects,
    limits: limitsOf(options),
    isByName: true,
    signal,
  });
}

function hostOf({ place }: RepositoryOptions): GitHost {
  if (place.host === null) throw new TypeError("There is no code host to fetch from.");
  return place.host;
}

function unlessAbsent(cause: NodeJS.ErrnoException): void {
  if (cause.code !== "ENOENT") throw cause;
}

async function initRepository(
  { place, workplace, commit, signal }: RepositoryOptions,
  name: string,
): Promise<OwnRepository> {
  const gitFolder = join(workplace.folder, name);
  const git = jobGit({ env: place.env, home: workplace.home, gitFolder, treeFolder: null });
  await makeRepository({ git, gitFolder, objectFormat: objectFormatOf(commit.sha), isBare: true, signal });
  return { git, gitFolder };
}

type HistoryFetch = OwnRepository & { readonly filter?: string };

/** The commit and its base. Returns the base. */
async function fetchHistory(
  options: RepositoryOptions,
  { git, gitFolder, filter }: HistoryFetch,
): Promise<string | null> {
  const { commit, commits, signal } = options;
  const host = hostOf(options);
  const objects = join(gitFolder, "objects");
  await mkdir(join(objects, "pack"), { recursive: true });
  const baseRef = commit.baseRef !== null && isBranchName(commit.baseRef) ? commit.baseRef : null;
  const wanted = [commit.sha, ...(baseRef === null ? [] : [`+refs/heads/${baseRef}:${BASE}`])];
  const fetchDeep = async (depth: number) =>
    await fetchInto({ git, host, wanted, depth, objects, limits: limitsOf(options), filter, signal });
  await fetchDeep(commits);
  const base = baseRef === null ? null : (await textOf(git, ["rev-parse", BASE], signal)).trim();
  if (base !== null && !(await doMeet(git, { heads: [commit.sha, base], signal }))) {
    await fetchDeep(LONGER * commits);
  }
  return base;
}

function limitsOf({ clock }: RepositoryOptions) {
  return { maxBytes: MAX_FETCH_BYTES, timeoutFactor: TIMEOUT_FACTOR, clock };
}

async function presentCommit(
  git: Git,
  { sha, signal }: { readonly sha: string | null; readonly signal: AbortSignal },
): Promise<string | null> {
  if (sha === null) return null;
  const args = ["rev-parse", "--verify", "--quiet", `${sha}^{commit}`];
  const { exitCode, stdout } = await git({ args, signal, allowedExitCodes: [0, 1, 128] });
  return exitCode === 0 ? stdout.toString("latin1").trim() : null;
}

async function textOf(git: Git, args: readonly string[], signal: AbortSignal): Promise<string> {
  return (await git({ args, signal })).stdout.toString("latin1");
}

function failureText(failure: GitError, { words }: CommitPlace): string {
  const kind = gitFailureOf(failure);
  if (kind === "not_permitted" || kind === "not_authenticated" || kind === "not_found")
    return words.notPermitted;
  const text = codeHostMessage(failure);
  return text === "" ? failure.message : `${failure.message} ${text}`;
}

/** `why` it could not be fetched, where that was tried. */
function notFound(options: RepositoryOptions, why: string | null, cause?: unknown): StepError {
  const { checkout, place, commit } = options;
  const { words, repository } = place;
  const fetched = why === null ? "" : ` It could not be fetched: ${why}`;
  const name = commit.sha.slice(0, 7);
  const found = checkout?.found.repository ?? null;
  const message =
    checkout === null
      ? `This job has no checkout to send the run's commit ${name} from.`
      : `The checkout does not have the run's commit ${name}${isOther(found, repository) ? `: it is one of ${found}, not of ${repository}` : ""}.`;
  return new StepError("commit_not_found", `${message}${fetched} ${words.getCommit}`, { cause });
}

/** Of the origin the last two names are known; the path of a GitLab project may have more. */
function isOther(found: string | null, repository: string | null): boolean {
  if (found === null || repository === null) return false;
  const [one, other] = [found.toLowerCase(), repository.toLowerCase()];
  return one !== other && !other.endsWith(`/${one}`);
}
