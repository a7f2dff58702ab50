// Takes the pack of a push: into git, in a folder of its own, strictly checked, then read by who stores it. No hook is executed, and
// nothing is checked out.
// Why: docs/decisions/182-workspaces-are-git-servers.md

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { createGit, type Git } from "../../../base/git/git.ts";
import { strictOption } from "../../../base/git/hardening.ts";
import { makeRepository } from "../../../base/git/make-repository.ts";
import type {
  IncomingPush,
  PushedHistory,
  PushedObject,
  ReceivedPush,
} from "../../core/checkouts/git-service.ts";
import { askObjects, ObjectQuestions } from "../cat-file.ts";
import { withinLimits } from "../clone-limits.ts";
import { startWithin, timeBound } from "../cpu-bound.ts";
import { costLimits, type PackLimits } from "../packs/pack-limits.ts";
import { checkedPack } from "../packs/pack-stream.ts";
import { withinUnfoldedSize } from "../packs/unfolded-size.ts";
import { makeRunFolder, type RunFolder, removeFolder } from "../run-folder.ts";
import type { ScratchPlace } from "../scratch/scratch-repository.ts";
import type { ObjectFolders } from "./object-folders.ts";
import { readPushed } from "./pushed-history.ts";

const LARGEST_ALLOCATION = "256m";
/** Of a process of git, beyond the packs that it maps. */
const ADDRESS_SPACE_BYTES = 6_000_000_000;
/** The push has its deadline, whose message says more. */
const PAST_DEADLINE_MS = 60_000;
const NAME_BYTES = 20;
const MAX_LIST_BYTES = 512 * 1024 * 1024;

type Receiving = {
  readonly place: ScratchPlace;
  readonly folders: ObjectFolders;
  readonly limits: PackLimits;
  readonly clock: Clock;
};

/** Throws a PackFaultError, a CloneLimitError, a GitError, a PackBoundError, what `take` throws, or the signal's reason. */
export async function receivePush<Value>(
  { place, folders, limits, clock }: Receiving,
  push: IncomingPush,
  take: (received: ReceivedPush) => Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const objects = await folders.open(push.repository, signal);
  try {
    const folder = await makeRunFolder(place.folder, "push");
    try {
      const { maxCpuSeconds } = costLimits(limits, limits.maxBytes);
      const bound = { cpuSeconds: maxCpuSeconds, addressSpaceBytes: ADDRESS_SPACE_BYTES };
      const startedBy = await startWithin(place.environment, bound);
      const git = gitOf({ place, limits }, folder, startedBy);
      const unfolding = timeBound(clock, maxCpuSeconds);
      const limited = {
        limits,
        gitFolder: folder.git,
        clock,
        signal: AbortSignal.any([signal, unfolding.signal]),
      };
      return await withinLimits(limited, async (within) => {
        await makeRepository({
          git,
          gitFolder: folder.git,
          objectFormat: "sha1",
          isBare: true,
          signal: within,
        });
        await writeFile(join(folder.git, "objects", "info", "alternates"), `${objects.path}\n`);
        const unfold = startedBy === null ? unfolding.begin : () => {};
        if (push.pack !== null) await index({ git, limits, pack: push.pack, unfold, signal: within });
        const reading = { git, push, maxCommits: limits.maxCommits, signal: within };
        const histories = await readPushed(reading);
        return await take({
          histories,
          objects: () => objectsOf(git, { histories, signal: within }),
        });
      }).finally(unfolding.end);
    } finally {
      await removeFolder(folder.path);
    }
  } finally {
    objects.release();
  }
}

function gitOf(
  { place, limits }: Pick<Receiving, "place" | "limits">,
  folder: RunFolder,
  startedBy: readonly [program: string, ...options: string[]] | null,
): Git {
  return createGit({
    environment: place.environment,
    home: folder.home,
    gitFolder: folder.git,
    treeFolder: null,
    maxAllocation: LARGEST_ALLOCATION,
    config: ["pack.threads=1", "core.deltaBaseCacheLimit=32m", "core.fsync=none"],
    timeoutMs: limits.cloneTimeoutMs + PAST_DEADLINE_MS,
    ...(place.gitPath === undefined ? {} : { gitPath: place.gitPath }),
    ...(startedBy === null ? {} : { startedBy }),
  });
}

/** Checks each object, and that everything which it names is there. What is there already was checked when it came. */
async function index({
  git,
  limits,
  pack,
  unfold,
  signal,
}: {
  git: Git;
  limits: PackLimits;
  pack: AsyncIterable<Uint8Array>;
  unfold: () => void;
  signal: AbortSignal;
}): Promise<void> {
  const { maxBytes, maxObjects } = limits;
  const { maxUnfoldedBytes } = costLimits(limits, maxBytes);
  const checked = checkedPack({ content: pack, size: null, maxBytes, maxObjects });
  const bounded = withinUnfoldedSize({
    content: checked,
    size: null,
    nameBytes: NAME_BYTES,
    maxUnfoldedBytes,
  });
  const input = followedBy(bounded, unfold);
  const args = ["index-pack", "--stdin", "--fix-thin", strictOption, `--max-input-size=${maxBytes}`];
  await git({ args, input, signal });
}

async function* followedBy<Item>(
  items: AsyncIterable<Item>,
  then: () => void,
): AsyncGenerator<Item, void, undefined> {
  yield* items;
  then();
}

async function* objectsOf(
  git: Git,
  { histories, signal }: { histories: readonly PushedHistory[]; signal: AbortSignal },
): AsyncGenerator<PushedObject, void, undefined> {
  const oids = new Set<string>();
  for (const { tip, builtOn, commits } of histories) {
    if (commits === 0) continue;
    // Apart from the others: what only another one's revisions have may be gone before this one is kept.
    const { stdout } = await git({
      args: ["rev-list", "--objects", "--no-object-names", "--stdin"],
      input: [tip, ...builtOn.map((oid) => `^${oid}`), ""].join("\n"),
      maxOutputBytes: MAX_LIST_BYTES,
      signal,
    });
    for (const oid of stdout.toString("latin1").split("\n")) if (oid !== "") oids.add(oid);
  }
  if (oids.size === 0) return;
  const questions = new ObjectQuestions();
  for (const oid of oids) questions.add(oid);
  for await (const { oid, type, size, content } of askObjects({ git, questions, signal })) {
    if (type !== "blob" && type !== "tree" && type !== "commit")
      throw new TypeError(`Object ${oid} of a push is a ${type}.`);
    yield { kind: type, oid, size, content };
  }
}
