// The parts of a node that keep the commits that jobs send: where packs are received, and where they are read.

import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { BlobStore } from "../../core/blobs/blob-store.ts";
import type { PackReceiver } from "../../core/commits/pack-receiver.ts";
import type { RunGitOptions } from "../run-git.ts";
import { PackCache } from "./pack-cache.ts";
import type { PackLimits } from "./pack-limits.ts";
import { packReceiver } from "./receive-pack.ts";

export type KeptCommits = {
  readonly cache: PackCache;
  readonly limits: PackLimits;
  readonly receiver: PackReceiver;
  /** Removes what an earlier process left. Called once, before the first use. */
  sweep(): Promise<void>;
};

/** `folder` belongs to this process. It is made at the first use. */
export function keepCommits(
  options: Pick<RunGitOptions, "folder" | "environment" | "gitPath"> & {
    readonly blobs: BlobStore;
    readonly maxCachedBytes: number;
    readonly limits: PackLimits;
    readonly clock: Clock;
  },
): KeptCommits {
  const { folder, blobs, maxCachedBytes: maxBytes, limits } = options;
  const cache = new PackCache({ folder: join(folder, "cache"), maxBytes, blobs });
  const receiver = packReceiver({
    ...options,
    folder: join(folder, "uploads"),
    cache,
  });
  return {
    cache,
    limits,
    receiver,
    sweep: async () => {
      await cache.sweep();
      await receiver.sweep();
    },
  };
}
