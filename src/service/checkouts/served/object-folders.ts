// The objects of workspaces that git's clients have asked this node for lately, as packs on its own disk: filled out of the store with
// what is missing, and removed once nobody has asked for a while. Objects never change, so that nothing here is ever out of date.
// Why: docs/decisions/182-workspaces-are-git-servers.md

import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { ServedRepository } from "../../core/checkouts/git-service.ts";
import { removeFolder } from "../run-folder.ts";
import { PackBoundError, type PackBounds, PackWriter } from "../scratch/pack-writer.ts";

export type ObjectFolderLimits = {
  /** Of one workspace. */
  readonly bounds: PackBounds;
  /** Objects of workspaces that nobody reads now, and that are kept for whoever comes next. */
  readonly maxKeptObjects: number;
  readonly keptMs: number;
};

/** Git searches each pack for each object. */
const MAX_PACKS = 20;

/** A folder of git's objects, to be read until it is released. */
type ObjectFolder = {
  readonly path: string;
  /** Safe to repeat. */
  release(): void;
};

type Entry = {
  readonly path: string;
  /** Objects that are there, with all that they lead to. */
  readonly known: Set<string>;
  bytes: number;
  packs: number;
  readers: number;
  usedAt: number;
  /** One after another. */
  filling: Promise<void>;
};

export class ObjectFolders {
  readonly #folder: string;
  readonly #limits: ObjectFolderLimits;
  readonly #clock: Clock;
  /** The one that was asked for longest ago is first. */
  readonly #entries = new Map<string, Entry>();
  #made = 0;

  /** `folder` belongs to this process. It is made at the first use. */
  constructor(options: { folder: string; limits: ObjectFolderLimits; clock: Clock }) {
    this.#folder = options.folder;
    this.#limits = options.limits;
    this.#clock = options.clock;
  }

  /** With everything to which the refs lead. Throws a PackBoundError, what reading the history throws, and the signal's reason. */
  async open(repository: ServedRepository, signal: AbortSignal): Promise<ObjectFolder> {
    await this.forgetOld();
    const { workspaceId } = repository;
    const entry = this.#entryOf(workspaceId);
    entry.readers += 1;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      entry.readers -= 1;
      entry.usedAt = this.#clock.monotonic();
      this.forgetOld().catch(() => {});
    };
    try {
      const before = entry.filling;
      const filled = before.then(() => this.#fill(entry, repository, signal));
      entry.filling = filled.catch(() => {});
      await filled;
      return { path: entry.path, release };
    } catch (cause) {
      release();
      throw cause;
    }
  }

  #entryOf(workspaceId: string): Entry {
    const kept = this.#entries.get(workspaceId);
    if (kept !== undefined) {
      this.#entries.delete(workspaceId);
      this.#entries.set(workspaceId, kept);
      return kept;
    }
    this.#made += 1;
    const entry: Entry = {
      path: join(this.#folder, `${workspaceId}-${this.#made}`),
      known: new Set(),
      bytes: 0,
      packs: 0,
      readers: 0,
      usedAt: this.#clock.monotonic(),
      filling: Promise.resolve(),
    };
    this.#entries.set(workspaceId, entry);
    return entry;
  }

  async #fill(entry: Entry, { refs, history }: ServedRepository, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const tips = [...new Set(refs.map(({ oid }) => oid))].filter((oid) => !entry.known.has(oid));
    await mkdir(join(entry.path, "pack"), { recursive: true, mode: 0o700 });
    if (tips.length === 0) return;
    const { bounds } = this.#limits;
    entry.packs += 1;
    const unfinished = join(entry.path, `unfinished-${entry.packs}`);
    const writer = await PackWriter.open({
      path: unfinished,
      maxObjects: bounds.maxObjects - entry.known.size,
      maxBytes: bounds.maxBytes - entry.bytes,
      // Git sends an object on as it lies there.
      compression: 6,
    });
    try {
      const added: string[] = [];
      let bytes = 0;
      for await (const object of history(tips, (oid) => entry.known.has(oid))) {
        signal.throwIfAborted();
        await writer.add(object);
        added.push(object.oid);
        bytes += "data" in object ? object.data.byteLength : object.size;
      }
      await writer.finish(`${unfinished}.idx`);
      // Git looks for indexes: a pack without one is none.
      await rename(unfinished, join(entry.path, "pack", `pack-${entry.packs}.pack`));
      await rename(`${unfinished}.idx`, join(entry.path, "pack", `pack-${entry.packs}.idx`));
      for (const oid of added) entry.known.add(oid);
      entry.bytes += bytes;
    } catch (cause) {
      if (cause instanceof PackBoundError) throw new PackBoundError(cause.what, bounds[boundOf(cause.what)]);
      throw cause;
    } finally {
      await writer.close();
      for (const path of [unfinished, `${unfinished}.idx`]) await rm(path, { force: true });
    }
  }

  /** Removes folders that nobody reads: old ones, those of many packs, and the oldest where there is too much. */
  async forgetOld(): Promise<void> {
    const { keptMs, maxKeptObjects } = this.#limits;
    const now = this.#clock.monotonic();
    let objects = [...this.#entries.values()].reduce((sum, { known }) => sum + known.size, 0);
    const gone: Entry[] = [];
    for (const [workspaceId, entry] of this.#entries) {
      if (entry.readers > 0) continue;
      const isOld = now - entry.usedAt >= keptMs || entry.packs >= MAX_PACKS;
      if (!isOld && objects <= maxKeptObjects) continue;
      this.#entries.delete(workspaceId);
      objects -= entry.known.size;
      gone.push(entry);
    }
    for (const { path } of gone) await removeFolder(path);
  }
}

function boundOf(what: PackBoundError["what"]): keyof PackBounds {
  return what === "objects" ? "maxObjects" : "maxBytes";
}
