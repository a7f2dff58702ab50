// Fetches commits from the code host into the objects of the job's checkout, through a git folder of our own: nothing of
// the checkout's configuration counts, so that it cannot send the job's token elsewhere.

import { copyFile, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { borrowObjects, type FoundCheckout } from "../../base/git/found-checkout.ts";
import { type Git, GitError } from "../../base/git/git.ts";
import { storedBytes } from "../../base/git/stored-bytes.ts";
import type { Environment } from "../../ci/provider.ts";
import { credentialOf, type GitHost, jobGit, repositoryUrl, transportOf } from "./job-git.ts";

const TIMEOUT_FACTOR = 5;
const WATCH_EVERY_MS = 250;

export type CommitsFetch = {
  readonly env: Environment;
  readonly host: GitHost;
  readonly signal: AbortSignal;
  readonly found: FoundCheckout;
  readonly home: string;
  /** Where our git folder is made; it does not exist yet. */
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
  const { env, host, signal, found, home, fetchFolder, wanted, depth, limits } = fetch;
  const git = jobGit({ env, home, gitFolder: fetchFolder, treeFolder: null });
  await borrowObjects({ git, gitFolder: fetchFolder, from: found, signal });
  const depths = depth === null ? [] : [`--depth=${depth}`];
  await withinBytes(fetch, async (bounded) => {
    await git({
      args: [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        ...depths,
        repositoryUrl(host),
        ...wanted,
      ],
      // Objects that the checkout's own server promised (`filter: blob:none`) may be missing.
      config: ["remote.promised.promisor=true"],
      transport: transportOf(host),
      env: { GIT_OBJECT_DIRECTORY: found.objects, ...credentialOf(host) },
      timeoutFactor: limits?.timeoutFactor ?? TIMEOUT_FACTOR,
      signal: bounded,
    });
  });
  return git;
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

/** Git itself has no limit on what it fetches: the growth of the checkout's packs is watched. */
async function withinBytes(
  { limits, signal, found }: CommitsFetch,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (limits === undefined) return await work(signal);
  const { clock, maxBytes } = limits;
  const before = await storedBytes(found.objects);
  const unfinished = await unfinishedPacks(found);
  const passed = new AbortController();
  const finished = new AbortController();
  const watch = async () => {
    for (;;) {
      await clock.sleep(WATCH_EVERY_MS, finished.signal);
      if ((await storedBytes(found.objects)) - before > maxBytes) return passed.abort(tooLarge(maxBytes));
    }
  };
  const watched = watch().catch(() => {});
  try {
    await work(AbortSignal.any([signal, passed.signal]));
  } finally {
    finished.abort();
    await watched;
    // What a fetch that was ended leaves is nobody's.
    for (const path of await unfinishedPacks(found)) {
      if (!unfinished.includes(path)) await rm(path, { force: true });
    }
  }
}

function tooLarge(maxBytes: number): GitError {
  const message = `git fetch took more than the ${maxBytes / 1_000_000} MB that it may.`;
  return new GitError({ code: "git_output_too_large", message });
}

async function unfinishedPacks({ objects }: FoundCheckout): Promise<string[]> {
  const packs = join(objects, "pack");
  const names = await readdir(packs).catch(() => []);
  return names.filter((name) => name.startsWith("tmp_")).map((name) => join(packs, name));
}
