// Keeps what a run's tree holds as a git pack, and brings it back in another checkout of the same commit. Git says which files may
// differ from the commit, and executes nothing. The index that other calls use is not touched.

import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Git } from "../../base/git/git.ts";
import { CheckoutError, type KeptTree } from "../core/checkouts/checkout.ts";
import { StorageFullError } from "../core/ports/storage-full.ts";
import { byteRecords, bytesOf, type Found, findPaths } from "./byte-paths.ts";
import { isFullDisk } from "./full-disk.ts";
import { CommitFolders } from "./kept/commit-folders.ts";
import { PackedFiles, PackTooLargeError } from "./kept/packed-files.ts";
import type { RunFolder } from "./run-folder.ts";
import type { RunGit } from "./tree-files.ts";
import { changesIn, copyIndex, READ_ALL, SUBMODULE_MODE, whyUnreadable } from "./working-changes.ts";

const MAX_PACK_BYTES = 32 * 1024 * 1024;
/** Of all files that differ from the commit: each is read, and stored as an object. */
const MAX_READ_BYTES = 256 * 1024 * 1024;
const KEEPING = "The tree could not be kept.";
const BRINGING_BACK = "The tree could not be brought back.";
const TOO_LARGE =
  "The changed files are larger than this service keeps. Have git ignore large generated files.";
const treeNamePattern = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
/** As `git update-index --index-info` reads it: the path is to leave the index. */
const GONE = "0";

/** A path that may differ from the commit: git's name of what the commit has there, null for nothing, and what is there now. */
type Touched = Found & { readonly before: string | null };
type Keeping = { readonly git: Git; readonly signal: AbortSignal };

/** Calls work one after another. A call that fails starts the next one afresh. */
export class TreeKeeper {
  readonly #folder: RunFolder;
  readonly #headSha: string;
  /** The commit, with the times of its files: what differs from it is found without a file being read. Written rarely. */
  readonly #commitIndex: string;
  /** For git to change the files by. */
  readonly #treeIndex: string;
  readonly #commit: CommitFolders;
  readonly #files: PackedFiles;
  #isCommitIndexSettled = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ folder, headSha }: { readonly folder: RunFolder; readonly headSha: string }) {
    this.#folder = folder;
    this.#headSha = headSha;
    this.#commitIndex = join(folder.git, "kept-commit.index");
    this.#treeIndex = join(folder.git, "kept-tree.index");
    this.#commit = new CommitFolders(headSha);
    this.#files = new PackedFiles({
      root: folder.tree,
      headSha,
      maxPackBytes: MAX_PACK_BYTES,
      clock: systemClock,
    });
  }

  /** See `Checkout.keepTree`. */
  keep(keeping: Keeping, since: string | null): Promise<KeptTree | null> {
    return this.#inTurn(KEEPING, async () => {
      const touched = await this.#findTouched(gitUntil(keeping));
      if (touched.length === 0 && since === null) return null;
      const there = touched.flatMap(({ about, ...file }) => (about === null ? [] : [{ ...file, about }]));
      // A file that was moved is an object that the commit has.
      const moved = new Set(touched.flatMap(({ before }) => (before === null ? [] : [before])));
      const packed = await this.#files.pack(keeping, there, moved);
      const changes = touched.map(({ path }) => ({ path, file: packed.get(path) ?? null }));
      const { tree, made } = await this.#commit.change(keeping, changes);
      if (tree === (since ?? (await this.#commit.change(keeping, [])).tree)) return null;
      const records = new Map<string, Buffer>();
      for (const { oid, record } of packed.values()) if (record !== null) records.set(oid, record);
      const folders = new Set(this.#commit.names());
      for (const { oid, data, before } of made) {
        if (!folders.has(oid)) records.set(oid, await this.#files.record({ kind: "tree", data }, before));
      }
      return { tree, pack: this.#files.packOf([...records.values()]) };
    });
  }

  /** See `Checkout.bringBack`. */
  bringBack(keeping: Keeping, { tree, pack }: KeptTree): Promise<void> {
    return this.#inTurn(BRINGING_BACK, async () => {
      if (!treeNamePattern.test(tree)) throw new CheckoutError(`${BRINGING_BACK} It has no name of a tree.`);
      const runGit = gitUntil(keeping);
      await runGit({ args: ["index-pack", "--stdin", "--fix-thin"], input: Buffer.from(pack), ...READ_ALL });
      // All of it has to be there before a file is written.
      const args = ["rev-list", "--objects", "--quiet", `${tree}^{tree}`, `^${this.#headSha}^{tree}`];
      await runGit({ args, ...READ_ALL });
      // Files that are in the index and not in the tree are removed, new ones among them.
      const inTree = await this.#takeIn(runGit);
      await inTree({ args: ["read-tree", "--reset", "-u", tree], ...READ_ALL });
    });
  }

  async #inTurn<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(async () => {
      try {
        return await work();
      } catch (cause) {
        const isFull = await isFullDisk(cause, this.#folder.path);
        await this.#startAfresh();
        throw isFull ? new StorageFullError(cause) : explained(what, cause);
      }
    });
    this.#last = turn.catch(() => undefined);
    return await turn;
  }

  async #startAfresh(): Promise<void> {
    this.#files.forget();
    this.#isCommitIndexSettled = false;
    for (const index of [this.#commitIndex, this.#treeIndex]) {
      for (const file of [index, `${index}.lock`]) await rm(file, { force: true });
    }
  }

  /** Has the tree index hold what the tree holds. Returns the git that works on it. */
  async #takeIn(runGit: RunGit): Promise<RunGit> {
    const touched = await this.#findTouched(runGit);
    await copyIndex(this.#commitIndex, this.#treeIndex);
    const inTree = withIndex(runGit, this.#treeIndex);
    const pathsOf = (isThere: boolean) =>
      touched.flatMap(({ path, about }) => ((about !== null) === isThere ? [path] : []));
    const leaves = (path: string) => `${GONE} ${"0".repeat(this.#headSha.length)}\t${path}\0`;
    const gone = pathsOf(false).map(leaves).join("");
    if (gone !== "")
      await inTree({ args: ["update-index", "-z", "--replace", "--index-info"], input: bytesOf(gone) });
    const there = pathsOf(true).map((path) => `${path}\0`);
    if (there.length > 0) {
      // A file that a command removes meanwhile is gone.
      const args = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
      await inTree({ args, input: bytesOf(there.join("")), ...READ_ALL });
    }
    return inTree;
  }

  /**
   * Git compares a file's content where its time is not before the index's. Written once more in a later second than the files
   * were, the index spares that.
   */
  async #settleCommitIndex(runGit: RunGit): Promise<void> {
    if (this.#isCommitIndexSettled) return;
    const ordinary = join(this.#folder.git, "index");
    await copyIndex(ordinary, this.#commitIndex);
    const writtenAt = await secondOf(this.#commitIndex);
    const args = ["read-tree", "--reset", this.#headSha];
    await withIndex(runGit, this.#commitIndex)({ args, ...READ_ALL });
    const settledAt = await secondOf(this.#commitIndex);
    this.#isCommitIndexSettled = writtenAt === null || (settledAt !== null && settledAt > writtenAt);
  }

  /** Paths that may differ from the commit, without repositories within. */
  async #findTouched(runGit: RunGit): Promise<readonly Touched[]> {
    await this.#settleCommitIndex(runGit);
    const inCommit = withIndex(runGit, this.#commitIndex);
    // What is behind a link is told as deleted. Git would execute what the configuration of a submodule names.
    const changed = inCommit({ args: ["diff-files", "-z", "--raw", "--ignore-submodules=all"] });
    const listed = inCommit({ args: ["ls-files", "-z", "--others", "--exclude-standard"] });
    await Promise.allSettled([changed, listed]);
    const before = new Map<string, string | null>();
    for (const { path, mode, name } of changesIn((await changed).stdout)) {
      if (mode !== SUBMODULE_MODE) before.set(path, name);
    }
    for (const path of byteRecords((await listed).stdout)) {
      if (!path.endsWith("/")) before.set(path, null);
    }
    const found = await findPaths(this.#folder.tree, [...before.keys()]);
    const bytes = found.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
    if (bytes > MAX_READ_BYTES) throw new CheckoutError(`${KEEPING} ${TOO_LARGE}`);
    return found.map((file) => ({ ...file, before: before.get(file.path) ?? null }));
  }
}

async function secondOf(path: string): Promise<number | null> {
  const about = await stat(path).catch(() => null);
  return about === null ? null : Math.floor(about.mtimeMs / 1000);
}

function withIndex(runGit: RunGit, index: string): RunGit {
  return (call) => runGit({ ...call, env: { ...call.env, GIT_INDEX_FILE: index } });
}

function gitUntil({ git, signal }: Keeping): RunGit {
  return (call) => git({ ...call, signal });
}

function explained(what: string, cause: unknown): unknown {
  if (cause instanceof CheckoutError) return cause;
  const why = cause instanceof PackTooLargeError ? TOO_LARGE : whyUnreadable(cause);
  return why === null ? cause : new CheckoutError(`${what} ${why}`, { cause });
}
