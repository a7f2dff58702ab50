// Keeps what a run's tree holds as a git pack, and brings it back in another checkout of the same commit. Git reads the files and
// executes nothing. The index that other calls use is not touched.

import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { GitError } from "../../base/git/git.ts";
import { CheckoutError, type KeptTree } from "../core/checkouts/checkout.ts";
import { byteRecords, bytesOf, findPaths } from "./byte-paths.ts";
import type { RunFolder } from "./run-folder.ts";
import type { RunGit } from "./tree-files.ts";
import {
  type Change,
  changesIn,
  copyIndex,
  READ_ALL,
  SUBMODULE_MODE,
  whyUnreadable,
} from "./working-changes.ts";

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

/** A path that differs from the commit: the commit's entry, null where it has none, and whether there is a file now. */
type Touched = { readonly inCommit: Change | null; readonly isThere: boolean };

/** Calls work one after another. A call that fails starts the next one afresh. */
export class TreeKeeper {
  readonly #folder: RunFolder;
  readonly #headSha: string;
  /** The commit, with the times of its files: what differs from it is found without a file being read. Written rarely. */
  readonly #commitIndex: string;
  /** What the tree held at the last call. */
  readonly #treeIndex: string;
  /** Null: there is no tree index. */
  #touched: ReadonlyMap<string, Touched> | null = null;
  #isCommitIndexSettled = false;
  #headTree: string | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ folder, headSha }: { readonly folder: RunFolder; readonly headSha: string }) {
    this.#folder = folder;
    this.#headSha = headSha;
    this.#commitIndex = join(folder.git, "kept-commit.index");
    this.#treeIndex = join(folder.git, "kept-tree.index");
  }

  /** See `Checkout.keepTree`. */
  keep(runGit: RunGit, since: string | null): Promise<KeptTree | null> {
    return this.#inTurn(KEEPING, async () => {
      const tree = await this.#takeIn(runGit);
      if (tree === (since ?? (await this.#treeOfCommit(runGit)))) return null;
      return { tree, pack: await this.#pack(runGit, tree) };
    });
  }

  /** See `Checkout.bringBack`. */
  bringBack(runGit: RunGit, { tree, pack }: KeptTree): Promise<void> {
    return this.#inTurn(BRINGING_BACK, async () => {
      if (!treeNamePattern.test(tree)) throw new CheckoutError(`${BRINGING_BACK} It has no name of a tree.`);
      await runGit({ args: ["index-pack", "--stdin", "--fix-thin"], input: Buffer.from(pack), ...READ_ALL });
      // All of it has to be there before a file is written.
      const args = ["rev-list", "--objects", "--quiet", `${tree}^{tree}`, `^${this.#headSha}^{tree}`];
      await runGit({ args, ...READ_ALL });
      // Files that are in the index and not in the tree are removed, new ones among them.
      await this.#takeIn(runGit);
      if (this.#touched === null) await copyIndex(this.#commitIndex, this.#treeIndex);
      const inTree = withIndex(runGit, this.#treeIndex);
      await inTree({ args: ["read-tree", "--reset", "-u", tree], ...READ_ALL });
      // The times of what was written are not the commit's: the next call compares afresh.
      this.#touched = null;
    });
  }

  async #inTurn<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(async () => {
      try {
        return await work();
      } catch (cause) {
        await this.#startAfresh();
        throw explained(what, cause);
      }
    });
    this.#last = turn.catch(() => undefined);
    return await turn;
  }

  async #startAfresh(): Promise<void> {
    this.#touched = null;
    this.#isCommitIndexSettled = false;
    for (const index of [this.#commitIndex, this.#treeIndex]) {
      for (const file of [index, `${index}.lock`]) await rm(file, { force: true });
    }
  }

  async #treeOfCommit(runGit: RunGit): Promise<string> {
    if (this.#headTree === null) {
      const { stdout } = await runGit({ args: ["rev-parse", "--verify", `${this.#headSha}^{tree}`] });
      this.#headTree = stdout.toString("latin1").trim();
    }
    return this.#headTree;
  }

  /** Has the tree index hold what the tree holds. Returns git's name of it. */
  async #takeIn(runGit: RunGit): Promise<string> {
    await this.#settleCommitIndex(runGit);
    const touched = await this.#findTouched(runGit);
    const before = this.#touched ?? new Map<string, Touched>();
    if (touched.size === 0 && before.size === 0) return await this.#treeOfCommit(runGit);
    if (this.#touched === null) await copyIndex(this.#commitIndex, this.#treeIndex);
    const inTree = withIndex(runGit, this.#treeIndex);
    const entries = entriesBetween(before, touched, this.#headSha);
    if (entries !== "") {
      const args = ["update-index", "-z", "--replace", "--index-info"];
      await inTree({ args, input: bytesOf(entries) });
    }
    const paths = [...touched].flatMap(([path, { isThere }]) => (isThere ? [`${path}\0`] : []));
    if (paths.length > 0) {
      // A file that a command removes meanwhile is gone. Those that are as they were at the last call are not read.
      const args = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
      await inTree({ args, input: bytesOf(paths.join("")), ...READ_ALL });
    }
    this.#touched = touched;
    return (await inTree({ args: ["write-tree", "--missing-ok"] })).stdout.toString("latin1").trim();
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
  async #findTouched(runGit: RunGit): Promise<ReadonlyMap<string, Touched>> {
    const inCommit = withIndex(runGit, this.#commitIndex);
    // What is behind a link is told as deleted. Git would execute what the configuration of a submodule names.
    const changed = inCommit({ args: ["diff-files", "-z", "--raw", "--ignore-submodules=all"] });
    const listed = inCommit({ args: ["ls-files", "-z", "--others", "--exclude-standard"] });
    await Promise.allSettled([changed, listed]);
    const changes = new Map<string, Change | null>();
    for (const change of changesIn((await changed).stdout)) {
      if (change.mode !== SUBMODULE_MODE) changes.set(change.path, change);
    }
    for (const path of byteRecords((await listed).stdout)) {
      if (!path.endsWith("/")) changes.set(path, null);
    }
    const found = await findPaths(this.#folder.tree, [...changes.keys()]);
    const bytes = found.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
    if (bytes > MAX_READ_BYTES) throw new CheckoutError(`${KEEPING} ${TOO_LARGE}`);
    return new Map(
      found.map((file) => [
        file.path,
        { inCommit: changes.get(file.path) ?? null, isThere: file.bytes !== null },
      ]),
    );
  }

  async #pack(runGit: RunGit, tree: string): Promise<Uint8Array> {
    // With --shallow the commit's own objects are what others are deltas of; without it, git looks at its parents' alone.
    const how = ["--revs", "--thin", "--shallow", "--delta-base-offset", "--threads=1", "-q"];
    const { stdout } = await runGit({
      args: ["pack-objects", "--stdout", ...how],
      input: `${tree}\n^${this.#headSha}\n`,
      maxOutputBytes: MAX_PACK_BYTES,
      ...READ_ALL,
    });
    return stdout;
  }
}

async function secondOf(path: string): Promise<number | null> {
  const about = await stat(path).catch(() => null);
  return about === null ? null : Math.floor(about.mtimeMs / 1000);
}

function withIndex(runGit: RunGit, index: string): RunGit {
  return (call) => runGit({ ...call, env: { ...call.env, GIT_INDEX_FILE: index } });
}

/** For `git update-index --index-info`: what left since the last call, then what is as in the commit again. */
function entriesBetween(
  before: ReadonlyMap<string, Touched>,
  now: ReadonlyMap<string, Touched>,
  headSha: string,
): string {
  const leaves = (path: string) => `${GONE} ${"0".repeat(headSha.length)}\t${path}\0`;
  const gone = [...now].flatMap(([path, { isThere }]) =>
    isThere || before.get(path)?.isThere === false ? [] : [leaves(path)],
  );
  const untouched = [...before].filter(([path]) => !now.has(path));
  const left = untouched.map(([path]) => leaves(path));
  const back = untouched.flatMap(([, { inCommit }]) =>
    inCommit === null ? [] : [`${inCommit.mode} ${inCommit.name}\t${inCommit.path}\0`],
  );
  return [...gone, ...left, ...back].join("");
}

function explained(what: string, cause: unknown): unknown {
  if (cause instanceof CheckoutError) return cause;
  const isTooLarge = cause instanceof GitError && cause.code === "git_output_too_large";
  const why = isTooLarge ? TOO_LARGE : whyUnreadable(cause);
  return why === null ? cause : new CheckoutError(`${what} ${why}`, { cause });
}
