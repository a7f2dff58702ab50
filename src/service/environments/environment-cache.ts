// The cache of environments that setup scripts left, on this machine's disk: written once under a key, copied for each run, the
// longest unused removed first. An entry appears by one rename, so that a crash leaves none that is half written.

import { mkdir, readdir, readFile, rename, stat, statfs, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import type { PackSink } from "../core/ports/place-archive.ts";
import { CopyRefusedError, type CopyRoom, copyEntry } from "./copy-folder.ts";
import { writePack } from "./pack-file.ts";

const MAX_ENTRIES = 1_000_000;
/** Packages are corrected, and what a script downloads without a lock file changes. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
/** One repository never has more of it, so that it does not evict all others. */
const REPOSITORY_SHARE = 4;
/** Free space that stays. */
const RESERVED_SHARE = 20;
const MAX_RESERVED_BYTES = 1_000_000_000;
const UNFINISHED = "unfinished-";
const DIGITS = "0123456789abcdef";
const HASH_CHARS = [32, 64];
const MAX_PATHS = 20_000;

const manifestSchema = z.object({
  bytes: z.int(),
  entries: z.int(),
  setupMs: z.number(),
  createdAt: z.int(),
  hasHome: z.boolean(),
  /** Relative to the tree. */
  paths: z.array(z.string()),
  /** Of one that is a single file, packed where it was made: SHA-256, in hexadecimal digits. */
  pack: z.optional(z.string()),
});
type Manifest = z.infer<typeof manifestSchema>;

type EntryName = { readonly repository: string; readonly key: string };

type EnvironmentCacheOptions = {
  /** Belongs to one service process. Made when missing. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly removeFolder: (path: string) => Promise<void>;
};

/** Paths to be kept: an absolute home, and paths in a tree. */
type Left = {
  readonly home: string | null;
  readonly root: string;
  readonly paths: readonly string[];
  readonly setupMs: number;
};

/** What writes a pack into a sink. False where there is more than `maxBytes`. */
type Packer = (sink: PackSink, maxBytes: number) => Promise<boolean>;

export class EnvironmentCache {
  readonly #options: EnvironmentCacheOptions;
  /** Entries that are being read. */
  readonly #used = new Map<string, number>();

  constructor(options: EnvironmentCacheOptions) {
    this.#options = options;
  }

  /** Removes what a crash left half written or half removed. */
  async sweep(): Promise<void> {
    const { folder, removeFolder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder))
      if (name.startsWith(UNFINISHED)) await removeFolder(join(folder, name));
    await this.#evict();
  }

  /** Null where there is none that can be read. `release` ends the reading. */
  async find(name: EntryName): Promise<FoundEntry | null> {
    const path = this.#pathOf(name);
    this.#used.set(path, (this.#used.get(path) ?? 0) + 1);
    const release = () => {
      const left = (this.#used.get(path) ?? 1) - 1;
      if (left === 0) this.#used.delete(path);
      else this.#used.set(path, left);
    };
    const manifest = await readManifest(path);
    const now = this.#options.clock.now();
    if (manifest === null || now - manifest.createdAt > MAX_AGE_MS) {
      release();
      if (manifest !== null) await this.#remove(path);
      return null;
    }
    // The newest used is the last to be evicted.
    await this.#markUsed(path).catch(() => undefined);
    return {
      manifest,
      home: join(path, "home"),
      tree: join(path, "tree"),
      pack: join(path, "pack"),
      release,
    };
  }

  /**
   * Copies what is left into a new entry. An entry of that name that is there already stays. Rejects with a CopyRefusedError
   * where it is too large, with the signal's reason, or with the system's error; there is no new entry then.
   */
  async keep(name: EntryName, left: Left, signal: AbortSignal): Promise<void> {
    const { setupMs } = left;
    if (left.paths.length > MAX_PATHS)
      throw new CopyRefusedError("There are too many files that git ignores.");
    await this.#keep(name, signal, async (unfinished, bytes) => {
      await mkdir(join(unfinished, "tree"), { recursive: true, mode: 0o700 });
      const room: CopyRoom = { bytes, entries: MAX_ENTRIES, signal };
      if (left.home !== null) await copyEntry(left.home, join(unfinished, "home"), room);
      for (const path of left.paths) {
        const to = join(unfinished, "tree", path);
        await mkdir(dirname(to), { recursive: true, mode: 0o700 });
        await copyEntry(join(left.root, path), to, room);
      }
      const hasHome = left.home !== null;
      const entries = MAX_ENTRIES - room.entries;
      return { bytes: bytes - room.bytes, entries, setupMs, hasHome, paths: [...left.paths] };
    });
  }

  /** As `keep`, for what is packed elsewhere. */
  async keepPack(
    name: EntryName,
    { setupMs, pack }: { readonly setupMs: number; readonly pack: Packer },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#keep(name, signal, async (unfinished, maxBytes) => {
      await mkdir(unfinished, { mode: 0o700 });
      const { bytes, sha256 } = await writePack(join(unfinished, "pack"), (sink) => pack(sink, maxBytes));
      return { bytes, entries: 1, setupMs, hasHome: true, paths: [], pack: sha256 };
    });
  }

  async #keep(
    name: EntryName,
    signal: AbortSignal,
    fill: (unfinished: string, maxBytes: number) => Promise<Omit<Manifest, "createdAt">>,
  ): Promise<void> {
    const { folder, maxBytes, clock, random, removeFolder } = this.#options;
    await mkdir(join(folder, name.repository), { recursive: true, mode: 0o700 });
    const unfinished = join(folder, `${UNFINISHED}${Buffer.from(random.bytes(12)).toString("hex")}`);
    try {
      const bytes = Math.min(Math.floor(maxBytes / REPOSITORY_SHARE), await spareBytes(folder));
      const manifest: Manifest = { ...(await fill(unfinished, bytes)), createdAt: clock.now() };
      await writeFile(join(unfinished, "manifest.json"), JSON.stringify(manifest));
      await this.#markUsed(unfinished);
      signal.throwIfAborted();
      // Fails where another run has written the same entry meanwhile: the two are equal.
      await rename(unfinished, this.#pathOf(name)).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== "ENOTEMPTY" && cause.code !== "EEXIST") throw cause;
      });
    } finally {
      await removeFolder(unfinished);
    }
    await this.#evict();
  }

  /** An entry that turned out to be broken. */
  async drop(name: EntryName): Promise<void> {
    await this.#remove(this.#pathOf(name));
  }

  /** By our own clock, not the disk's. */
  async #markUsed(path: string): Promise<void> {
    const seconds = this.#options.clock.now() / 1000;
    await utimes(join(path, "manifest.json"), seconds, seconds);
  }

  #pathOf({ repository, key }: EntryName): string {
    if (!isHash(repository) || !isHash(key)) throw new TypeError("An entry is named by hashes.");
    return join(this.#options.folder, repository, key);
  }

  /** The longest unused first: of a repository that has more than its share, then of all. What is being read stays. */
  async #evict(): Promise<void> {
    const { folder, maxBytes } = this.#options;
    const entries: { path: string; repository: string; bytes: number; usedAt: number }[] = [];
    for (const repository of await readdir(folder)) {
      if (!isHash(repository)) continue;
      for (const key of await readdir(join(folder, repository))) {
        const path = join(folder, repository, key);
        const manifest = await readManifest(path);
        const used = await stat(join(path, "manifest.json")).catch(() => null);
        // Without one, nobody can read it.
        if (manifest === null || used === null) await this.#remove(path);
        else entries.push({ path, repository, bytes: manifest.bytes, usedAt: used.mtimeMs });
      }
    }
    entries.sort((one, other) => one.usedAt - other.usedAt);
    const removed = new Set<string>();
    const shrink = async (group: typeof entries, allowed: number) => {
      let bytes = group.reduce((sum, entry) => sum + (removed.has(entry.path) ? 0 : entry.bytes), 0);
      for (const entry of group) {
        if (bytes <= allowed) return;
        if (removed.has(entry.path) || this.#used.has(entry.path)) continue;
        await this.#remove(entry.path);
        removed.add(entry.path);
        bytes -= entry.bytes;
      }
    };
    for (const repository of new Set(entries.map((entry) => entry.repository))) {
      const own = entries.filter((entry) => entry.repository === repository);
      await shrink(own, Math.floor(maxBytes / REPOSITORY_SHARE));
    }
    await shrink(entries, maxBytes);
  }

  /** Moved away first: a crash in the middle leaves no half entry. */
  async #remove(path: string): Promise<void> {
    const { folder, random, removeFolder } = this.#options;
    const away = join(folder, `${UNFINISHED}${Buffer.from(random.bytes(12)).toString("hex")}`);
    const isMoved = await rename(path, away).then(
      () => true,
      (cause: NodeJS.ErrnoException) => {
        if (cause.code !== "ENOENT") throw cause;
        return false;
      },
    );
    if (isMoved) await removeFolder(away);
  }
}

export type FoundEntry = {
  readonly manifest: Manifest;
  /** Only where the manifest has one. */
  readonly home: string;
  readonly tree: string;
  /** Only where the manifest has one. */
  readonly pack: string;
  readonly release: () => void;
};

function isHash(name: string): boolean {
  return HASH_CHARS.includes(name.length) && [...name].every((digit) => DIGITS.includes(digit));
}

async function readManifest(path: string): Promise<Manifest | null> {
  const text = await readFile(join(path, "manifest.json"), "utf8").catch(() => null);
  if (text === null) return null;
  try {
    const parsed = manifestSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

async function spareBytes(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const reserved = Math.min((blocks * bsize) / RESERVED_SHARE, MAX_RESERVED_BYTES);
  return Math.max(0, Math.floor(bavail * bsize - reserved));
}
