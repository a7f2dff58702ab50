// Makes a run's repository out of packs that its job has sent, and checks out the commit: no server is reached.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Git } from "../../../base/git/git.ts";
import { makeRepository } from "../../../base/git/make-repository.ts";
import { objectFormatOf } from "../../../base/git/object-names.ts";
import type { CheckoutSource } from "../../core/checkouts/checkout.ts";
import type { HeldSource } from "../../core/commits/held-source.ts";
import { type Cloned, checkOut } from "../clone.ts";
import { CloneLimitError, withinLimits } from "../clone-limits.ts";
import { findMergeBase } from "../fetch-pull-request.ts";
import type { PackCache } from "./pack-cache.ts";
import type { PackLimits } from "./pack-limits.ts";
import { walkCommits } from "./walk-commits.ts";

type HeldCheckout = {
  readonly git: Git;
  readonly gitFolder: string;
  readonly source: Pick<CheckoutSource, "sha" | "baseRef" | "pullRequest">;
  readonly held: HeldSource;
  readonly cache: PackCache;
  readonly limits: PackLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/**
 * Checks out `sha`. Throws a `GitError`, a `CloneLimitError`, a `BlobStoreError`, a `ContentsLostError`, or the reason of `signal`; every process
 * has ended by then.
 */
export async function openHeld(open: HeldCheckout): Promise<Cloned> {
  const { git, gitFolder, held, cache, limits } = open;
  const { sha } = open.source;
  // Its packs were bounded when they were taken.
  const unbounded = { ...limits, maxBytes: Number.POSITIVE_INFINITY };
  return await withinLimits({ ...open, limits: unbounded }, async (signal) => {
    await makeRepository({ git, gitFolder, objectFormat: objectFormatOf(sha), signal });
    await cache.link(held.packs, join(gitFolder, "objects", "pack"), signal);
    const shallow = held.baseSha === null ? held.shallow : await boundaryOf(open, signal);
    if (shallow.length > 0) {
      await writeFile(join(gitFolder, "shallow"), shallow.map((commit) => `${commit}\n`).join(""));
    }
    const files = await checkOut(open, signal);
    return { files, base: await baseOf(open, signal) };
  });
}

/** Commits at which the histories of both commits end together: one may hold what the other lacks. */
async function boundaryOf({ git, source, held, limits }: HeldCheckout, signal: AbortSignal) {
  const tips = [source.sha, ...(held.baseSha === null ? [] : [held.baseSha])];
  const walked = await walkCommits({ git, tips, maxCommits: limits.maxCommits * 2, signal });
  if ("fault" in walked)
    throw new CloneLimitError("clone_too_large", "its history cannot be read from what is held");
  return walked.shallow;
}

async function baseOf({ git, source, held }: HeldCheckout, signal: AbortSignal): Promise<Cloned["base"]> {
  if (source.pullRequest === undefined || held.baseSha === null) return null;
  const tip = held.baseSha;
  return { tip, mergeBase: await findMergeBase(git, [source.sha, tip], signal) };
}
