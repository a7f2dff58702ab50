// The source of repositories for the runs of a node, by its settings: clones, and the commits that jobs send.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { gitCheckouts } from "../checkouts/git-checkouts.ts";
import { type KeptCommits, keepCommits } from "../checkouts/packs/keep-commits.ts";
import { GitRemotes } from "../checkouts/remotes/git-remotes.ts";
import { gitScratch } from "../checkouts/scratch/git-scratch.ts";
import type { GitServiceLimits } from "../checkouts/served/git-service.ts";
import type { BlobStore } from "../core/blobs/blob-store.ts";
import { OwnBlobs, type OwnBlobsParts } from "../core/blobs/own-blobs.ts";
import type { CheckoutProvider } from "../core/checkouts/checkout.ts";
import type { GitScratch } from "../core/checkouts/git-scratch.ts";
import type { CommitKeeping } from "../core/commits/commit-keeping.ts";
import type { Backend } from "../executor/backend.ts";
import type { Config } from "../settings/config.ts";
import type { MachineParts } from "./open-backends.ts";
import { openBlobs } from "./open-blobs.ts";

const SHARED_FOLDER =
  "commits that jobs send are kept in a folder: every node on this database needs the same one, as BLOB_DIR on a file system that they share, or BLOB_STORE=s3";
const DAY_MS = 24 * 60 * 60 * 1000;
/** Git keeps about a hundred bytes of each object of a pack in memory while it indexes it. */
const PACK_LIMITS = {
  maxObjects: 2_000_000,
  maxCommits: 20_000,
  maxUploads: 4,
  maxUploadsOfOwner: 2,
  maxWaitingUploads: 64,
  maxWaitingUploadsOfOwner: 8,
  uploadWaitMs: 30_000,
};
const CLONE_LIMITS = {
  maxBytes: 2_000_000_000,
  maxCheckoutBytes: 4_000_000_000,
  cloneTimeoutMs: 10 * 60 * 1000,
  // Twenty times what may be stored.
  maxUnfoldedBytes: 40_000_000_000,
  maxCpuSeconds: 300,
  historyDepth: 50,
};

/** Of a merge, which is in memory and on disk for as long as it takes. */
const MERGE_LIMITS = { maxObjects: 200_000, maxBytes: 1_000_000_000, timeoutMs: 60_000 };
const BUNDLE_LIMITS = { maxObjects: 2_000_000, maxBytes: 4_000_000_000, timeoutMs: 10 * 60 * 1000 };
const MERGES_AT_ONCE = { maxWorking: 4, maxWaiting: 100 };

/** Of what git's own clients fetch and push. Git keeps the names of a workspace's objects in memory while it serves them. */
const SERVED_LIMITS = {
  objects: {
    bounds: { maxObjects: 1_000_000, maxBytes: 2_000_000_000 },
    maxKeptObjects: 1_000_000,
    keptMs: 10 * 60 * 1000,
  },
  fetchTimeoutMs: 10 * 60 * 1000,
  maxFetches: 4,
  maxWaitingFetches: 64,
  maxFetchesOfAccount: 2,
  maxWaitingFetchesOfAccount: 16,
};
const MAX_PUSHED_OBJECTS = 500_000;

/** Where what git's clients ask for is made, and how much of it. */
export type ServedPlace = { readonly folder: string; readonly limits: GitServiceLimits };

export type OpenedCommits = KeptCommits & {
  readonly blobs: BlobStore;
  readonly scratch: GitScratch;
  readonly served: ServedPlace;
};

export function ownCheckouts(
  { dataDir, gitEnvironment }: Config,
  { packs, remotes }: { readonly packs: OpenedCommits | null; readonly remotes: GitRemotes | null },
): CheckoutProvider {
  return gitCheckouts({
    folder: join(dataDir, "checkouts"),
    limits: CLONE_LIMITS,
    environment: gitEnvironment,
    packs,
    remotes,
  });
}

export function ownRemotes({ dataDir, gitEnvironment, issuers, remotes }: Config, clock: Clock): GitRemotes {
  return new GitRemotes({
    folder: join(dataDir, "remotes"),
    environment: gitEnvironment,
    issuers,
    knownHosts: remotes.knownHosts,
    app: remotes.app,
    clock,
  });
}

export async function openCommits({
  config,
  clock,
  random,
}: Pick<MachineParts, "config" | "clock" | "random">): Promise<OpenedCommits> {
  const blobs = await openBlobs(config, { clock, random });
  // A node that only answers requests does not hold its data folder: others may be beside it.
  const own = (name: string) => join(config.dataDir, config.role === "api" ? `${name}-${process.pid}` : name);
  const kept = keepCommits({
    folder: own("commits"),
    environment: config.gitEnvironment,
    blobs,
    maxCachedBytes: config.commits.cacheBytes,
    limits: { ...CLONE_LIMITS, ...PACK_LIMITS },
    clock,
  });
  const scratch = gitScratch({
    folder: own("scratch"),
    environment: config.gitEnvironment,
    limits: MERGE_LIMITS,
    bundleLimits: BUNDLE_LIMITS,
    ...MERGES_AT_ONCE,
    clock,
  });
  const push = { ...CLONE_LIMITS, ...PACK_LIMITS, maxObjects: MAX_PUSHED_OBJECTS };
  const served = {
    folder: own("served"),
    limits: { ...SERVED_LIMITS, push: { ...push, maxBytes: config.commits.maxBytes } },
  };
  const sweep = async () => {
    await kept.sweep();
    await scratch.sweep();
    await rm(served.folder, { recursive: true, force: true });
  };
  return { ...kept, blobs, scratch, served, sweep };
}

export function commitKeeping(
  parts: { readonly config: Config; readonly backends: readonly Backend[] } & Omit<
    OwnBlobsParts,
    "blobs" | "areBesideStore"
  >,
  { blobs, receiver }: OpenedCommits,
): CommitKeeping {
  const { config, backends } = parts;
  const { commits, databaseUrl } = config;
  const areBesideStore =
    databaseUrl === null && config.blobs.store === "folder" && config.blobs.folder === null;
  return {
    blobs,
    own: new OwnBlobs({ ...parts, blobs, areBesideStore }),
    receiver,
    // The model and other agents are not loaded on a node that only answers requests.
    isNeededBy: (name) => backends.find((backend) => backend.name === name)?.needsCheckout ?? true,
    limits: {
      maxUploadBytes: commits.maxBytes,
      quotaBytes: commits.quotaBytes,
      keptMs: commits.keptDays * DAY_MS,
      history: CLONE_LIMITS.historyDepth,
    },
  };
}

/** The folder that the nodes on a database must share, and its place on this one; null where there is none. */
export function sharedFolderText({
  databaseUrl,
  blobs,
  dataDir,
}: Config): { readonly folder: string; readonly text: string } | null {
  if (databaseUrl === null || blobs.store !== "folder") return null;
  return { folder: blobs.folder ?? join(dataDir, "blobs"), text: SHARED_FOLDER };
}
