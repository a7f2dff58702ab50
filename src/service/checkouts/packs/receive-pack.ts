// Takes a pack that a job sends: streams it into git in a folder of its own, checks it strictly, and finds out where its
// history ends. Nothing of it is checked out, and no hook is executed.
// Why: docs/decisions/044-commits-are-sent-by-the-job.md

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { createGit, type Git } from "../../../base/git/git.ts";
import { strictOption } from "../../../base/git/hardening.ts";
import { makeRepository } from "../../../base/git/make-repository.ts";
import { objectFormatOf } from "../../../base/git/object-names.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type {
  IncomingPack,
  PackReceiver,
  PackRefusal,
  ReceivedFile,
  ReceivedPack,
} from "../../core/commits/pack-receiver.ts";
import { checkTreeSize } from "../clone.ts";
import { withinLimits } from "../clone-limits.ts";
import { startWithin, timeBound } from "../cpu-bound.ts";
import type { RunGitOptions } from "../run-git.ts";
import type { PackCache, PackFiles } from "./pack-cache.ts";
import { packFaultOf } from "./pack-fault.ts";
import { costLimits, type PackLimits } from "./pack-limits.ts";
import { checkedPack, PackFaultError } from "./pack-stream.ts";
import { refuseUnreached } from "./refuse-unreached.ts";
import { withinUnfoldedSize } from "./unfolded-size.ts";
import { uploadTurns } from "./upload-turns.ts";
import { type WalkedHistory, walkCommits } from "./walk-commits.ts";

/** An object, or one that is made from a difference, that is held in memory. Larger files are streamed where they are whole. */
const LARGEST_ALLOCATION = "256m";
/** Of a process of git, where `prlimit` is there to set it. It maps packs into it, which takes no memory. */
const ADDRESS_SPACE_BEYOND_PACKS = 3_000_000_000;
/** A pack has its deadline, whose message says more. */
const PAST_DEADLINE_MS = 60_000;
const PREFIX = "upload-";

type ReceiverOptions = Pick<RunGitOptions, "folder" | "environment" | "gitPath"> & {
  readonly limits: PackLimits;
  readonly cache: PackCache;
  readonly clock: Clock;
};

/** Receives packs below `folder`, which belongs to this process. */
export function packReceiver(options: ReceiverOptions): PackReceiver & { sweep(): Promise<void> } {
  const settings = { ...options, folder: resolve(options.folder) };
  const turns = uploadTurns(options);
  return {
    receive: (incoming) => turns.within(incoming, () => receive(settings, incoming)),
    sweep: async () => {
      for (const name of await readdir(settings.folder).catch(() => [])) {
        if (name.startsWith(PREFIX)) await removeFolder(join(settings.folder, name));
      }
    },
  };
}

type Upload = {
  readonly options: ReceiverOptions;
  readonly incoming: IncomingPack;
  readonly path: string;
  readonly gitFolder: string;
  readonly git: Git;
  /** Else its time is. */
  readonly isCpuBound: boolean;
};

async function receive(
  options: ReceiverOptions,
  incoming: IncomingPack,
): Promise<Result<ReceivedPack, PackRefusal>> {
  incoming.signal.throwIfAborted();
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(options.folder, PREFIX));
  try {
    const upload = await openUpload(options, incoming, path);
    return ok(await takeIn(upload));
  } catch (cause) {
    await removeFolder(path);
    incoming.signal.throwIfAborted();
    const fault = packFaultOf(cause, costLimits(options.limits, incoming.maxStoredBytes));
    if (fault === null) throw cause;
    return refused(fault);
  }
}

async function openUpload(options: ReceiverOptions, incoming: IncomingPack, path: string): Promise<Upload> {
  const { environment, gitPath, limits } = options;
  const gitFolder = join(path, "git");
  const home = join(path, "home");
  await mkdir(home, { mode: 0o500 });
  await mkdir(gitFolder);
  const packBytes = incoming.bases.reduce((sum, { bytes }) => sum + bytes, incoming.maxStoredBytes);
  const addressSpaceBytes = ADDRESS_SPACE_BEYOND_PACKS + packBytes;
  const { maxCpuSeconds: cpuSeconds } = costLimits(limits, incoming.maxStoredBytes);
  const startedBy = await startWithin(environment, { cpuSeconds, addressSpaceBytes });
  const git = createGit({
    environment,
    home,
    gitFolder,
    treeFolder: null,
    maxAllocation: LARGEST_ALLOCATION,
    config: ["pack.threads=1", "core.deltaBaseCacheLimit=32m", "core.packedGitWindowSize=16m"],
    timeoutMs: limits.cloneTimeoutMs + PAST_DEADLINE_MS,
    ...(gitPath === undefined ? {} : { gitPath }),
    ...(startedBy === null ? {} : { startedBy }),
  });
  return { options, incoming, path, gitFolder, git, isCpuBound: startedBy !== null };
}

async function takeIn(upload: Upload): Promise<ReceivedPack> {
  const { options, incoming, gitFolder, git } = upload;
  const { limits, clock } = options;
  const { sha, maxStoredBytes } = incoming;
  const unfolding = timeBound(clock, costLimits(limits, maxStoredBytes).maxCpuSeconds);
  const limited = {
    limits: { ...limits, maxBytes: maxStoredBytes },
    gitFolder,
    clock,
    signal: AbortSignal.any([incoming.signal, unfolding.signal]),
  };
  const unfold = upload.isCpuBound ? () => {} : unfolding.begin;
  return await withinLimits(limited, async (signal) => {
    await makeRepository({ git, gitFolder, objectFormat: objectFormatOf(sha), isBare: true, signal });
    const bases = await borrowBases(upload, signal);
    const files = await index(upload, unfold, signal);
    const objects = await countObjects(files.index);
    const { shallow, present: commits } = await findBoundary(upload, signal);
    await checkStrictly(upload, files, signal);
    const nameBytes = sha.length / 2;
    await refuseUnreached({ git, index: files.index, nameBytes, commits, bases }, signal);
    await checkTreeSize({ git, source: { sha }, limits }, signal);
    return await received(upload, { files, objects, shallow });
  }).finally(unfolding.end);
}

/** In a folder of objects beside the pack's own, so that the pack's size is its own. Null where there are none. */
async function borrowBases(
  { options, incoming, path, gitFolder }: Upload,
  signal: AbortSignal,
): Promise<string | null> {
  if (incoming.bases.length === 0) return null;
  const objects = join(path, "bases");
  await options.cache.link(incoming.bases, join(objects, "pack"), signal);
  await writeFile(join(gitFolder, "objects", "info", "alternates"), `${objects}\n`);
  return objects;
}

/** Calls `unfold` once git has the whole pack, which it then unfolds. */
async function index(
  { options, incoming, gitFolder, git }: Upload,
  unfold: () => void,
  signal: AbortSignal,
): Promise<PackFiles> {
  const { content, size } = incoming;
  const { maxObjects } = options.limits;
  const { maxUnfoldedBytes } = costLimits(options.limits, incoming.maxStoredBytes);
  const nameBytes = incoming.sha.length / 2;
  const args = ["index-pack", "--stdin", "--fix-thin", `--max-input-size=${size}`];
  const checked = checkedPack({ content, size, maxObjects });
  const input = followedBy(
    withinUnfoldedSize({ content: checked, size, nameBytes, maxUnfoldedBytes }),
    unfold,
  );
  const { stdout } = await git({ args, input, signal });
  const [, name] = /^(?:pack|keep)\t([0-9a-f]{40,64})\n$/.exec(stdout.toString("latin1")) ?? [];
  if (name === undefined) throw new PackFaultError("pack_malformed", "The pack is damaged or cut off.");
  const path = join(gitFolder, "objects", "pack", `pack-${name}`);
  return { pack: `${path}.pack`, index: `${path}.idx` };
}

async function* followedBy<Item>(
  items: AsyncIterable<Item>,
  then: () => void,
): AsyncGenerator<Item, void, undefined> {
  yield* items;
  then();
}

/** The last of the 256 sums at the beginning of an index: gitformat-pack(5). */
async function countObjects(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 8 + 255 * 4);
    return buffer.readUInt32BE();
  } finally {
    await file.close();
  }
}

/** The commits whose parents are not there. From now on git sees no parents of them. */
async function findBoundary(
  { options, incoming, gitFolder, git }: Upload,
  signal: AbortSignal,
): Promise<WalkedHistory> {
  const { sha } = incoming;
  const { maxCommits } = options.limits;
  const walked = await walkCommits({ git, tips: [sha], maxCommits, signal });
  if ("fault" in walked) throw walkFaultError(walked.fault, { sha, maxCommits });
  // What was held before has its own boundary, which may be nearer: an object there may lack what this walk passed by.
  const known = incoming.bases.flatMap(({ shallow }) => shallow);
  const ends = [...new Set([...walked.shallow, ...known])];
  await writeFile(join(gitFolder, "shallow"), ends.map((end) => `${end}\n`).join(""));
  return walked;
}

function walkFaultError(
  fault: "tip_absent" | "not_a_commit" | "too_many",
  { sha, maxCommits }: { sha: string; maxCommits: number },
): PackFaultError {
  switch (fault) {
    case "tip_absent":
      return new PackFaultError("commit_absent", `The pack does not hold commit ${sha}.`);
    case "not_a_commit":
      return new PackFaultError("commit_absent", `${sha}, or what it names as a parent, is no commit.`);
    case "too_many": {
      const allowed = maxCommits.toLocaleString("en-US");
      return new PackFaultError(
        "contents_too_large",
        `The commit has more than ${allowed} commits of history.`,
      );
    }
  }
}

/**
 * Checks each object of the pack, and that everything which it names is there, of the kind that it says. What was held
 * before was checked in the same way: together they lack nothing.
 */
async function checkStrictly({ git, path }: Upload, { pack }: PackFiles, signal: AbortSignal): Promise<void> {
  await git({ args: ["index-pack", strictOption, "-o", join(path, "checked.idx"), pack], signal });
}

async function received(
  { options, incoming, path }: Upload,
  { files, objects, shallow }: { files: PackFiles; objects: number; shallow: readonly string[] },
): Promise<ReceivedPack> {
  const [pack, index] = await Promise.all([fileOf(files.pack), fileOf(files.index)]);
  return {
    objects,
    shallow,
    pack,
    index,
    adopt: () => options.cache.adopt(incoming.id, files, pack.bytes + index.bytes),
    close: () => removeFolder(path),
  };
}

async function fileOf(path: string): Promise<ReceivedFile> {
  const { size: bytes } = await stat(path);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return { bytes, sha256: hash.digest("hex"), open: () => createReadStream(path) };
}

async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
