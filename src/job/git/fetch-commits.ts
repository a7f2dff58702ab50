// Fetches commits from the code host into the objects of the job's checkout, through a git folder of our own: nothing of
// the checkout's configuration counts, so that it cannot send the job's token elsewhere.

import { copyFile, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { borrowObjects, type FoundCheckout } from "../../base/git/found-checkout.ts";
import { type Git, GitError } from "../../base/git/git.ts";
import { storedBytes } from "../../base/git/stored-bytes.ts";
import { credentialOf, type GitHost, jobGit, repositoryUrl, transportOf } from "./job-git.ts";

const TIMEOUT_FACTOR = 5;
const WATCH_EVERY_MS = 250;

type CommitsFetch = {
  readonly env: Environment;
  readonly host: GitHost;
  readonly signal: AbortSignal;
  readonly found: FoundCheckout;
  readonly home: string;
  /** The path of our git folder, which does not exist yet. */
  readonly fetchFolder: string;
  /** Commits and refspecs. */
  readonly wanted: readonly string[];
  /** Commits of each history; null for all. */
  readonly depth: number | null;
  /** Ends the fetch that passes them, as a GitError. */
  readonly limits?: { readonly maxBytes: number; readonly timeoutFactor: number; readonly clock: Clock };
};

/** Returns the git that knows the commits by the refspecs' names. Rejects with GitError. */
export async function fetchCommits(fetch: CommitsFetch): Promise<Git> {
  const { env, signal, found, home, fetchFolder } = fetch;
  const git = jobGit({ env, home, gitFolder: fetchFolder, treeFolder: null });
  await borrowObjects({ git, gitFolder: fetchFolder, isBare: true, from: found, signal });
  await fetchInto({ ...fetch, git, objects: found.objects });
  return git;
}

type ObjectsFetch = Pick<CommitsFetch, "host" | "signal" | "wanted" | "depth" | "limits"> & {
  /** Of a git folder of our own. */
  readonly git: Git;
  /** The folder that takes the objects. */
  readonly objects: string;
  /** The part of the history that is left out: `blob:none` is every file. */
  readonly filter?: string | undefined;
  /** Whether `wanted` are many objects of any kind, none of which is negotiated about. */
  readonly isByName?: boolean;
};

/** Rejects with GitError. */
export async function fetchInto(fetch: ObjectsFetch): Promise<void> {
  const { git, host, wanted, depth, objects, limits, filter, isByName = false } = fetch;
  await withinBytes(fetch, async (signal) => {
    await git({
      args: [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        ...(depth === null ? [] : [`--depth=${depth}`]),
        ...(filter === undefined ? [] : [`--filter=${filter}`]),
        ...(isByName ? ["--no-filter", "--stdin"] : []),
        repositoryUrl(host),
        ...(isByName ? [] : wanted),
      ],
      ...(isByName ? { input: `${wanted.join("\n")}\n` } : {}),
      config: [
        // Objects that the checkout's own server promised (`filter: blob:none`) may be missing.
        "remote.promised.promisor=true",
        ...(isByName ? ["fetch.negotiationAlgorithm=noop"] : []),
      ],
      transport: transportOf(host),
      env: { GIT_OBJECT_DIRECTORY: objects, ...credentialOf(host) },
      timeoutFactor: limits?.timeoutFactor ?? TIMEOUT_FACTOR,
      signal,
    });
  });
}

/** Tells the checkout where the fetched histories end. */
export async function takeShallow({
  found,
  fetchFolder,
}: Pick<CommitsFetch, "found" | "fetchFolder">): Promise<void> {
  const fetched = join(fetchFolder, "shallow");
  if (await isThere(fetched)) {
    const beside = `${found.shallow}.fetched`;
    await copyFile(fetched, beside);
    await rename(beside, found.shallow);
  } else await rm(found.shallow, { force: true });
}

export async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** Git itself has no limit on what it fetches: the growth of the packs is watched. */
async function withinBytes(
  { limits, signal, objects }: ObjectsFetch,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (limits === undefined) return await work(signal);
  const { clock, maxBytes } = limits;
  const before = await storedBytes(objects);
  const unfinished = await unfinishedPacks(objects);
  const passed = new AbortController();
  const finished = new AbortController();
  const watch = async () => {
    for (;;) {
      await clock.sleep(WATCH_EVERY_MS, finished.signal);
      if ((await storedBytes(objects)) - before > maxBytes) return passed.abort(tooLarge(maxBytes));
    }
  };
  const watched = watch().catch(() => {});
  try {
    await work(AbortSignal.any([signal, passed.signal]));
  } finally {
    finished.abort();
    await watched;
    // What a fetch that was ended leaves is nobody's.
    for (const path of await unfinishedPacks(objects)) {
      if (!unfinished.includes(path)) await rm(path, { force: true });
    }
  }
}

function tooLarge(maxBytes: number): GitError {
  const message = `git fetch took more than the ${maxBytes / 1_000_000} MB that it may.`;
  return new GitError({ code: "git_output_too_large", message });
}

async function unfinishedPacks(objects: string): Promise<string[]> {
  const packs = join(objects, "pack");
  const names = await readdir(packs).catch(() => []);
  return names.filter((name) => name.startsWith("tmp_")).map((name) => join(packs, name));
}
