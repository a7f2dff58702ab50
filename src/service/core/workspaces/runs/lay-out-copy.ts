// The layout of a folder from a workspace's objects: a tree, the commit that it is compared with, and as much of its history as is near.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import type { CopyFolderSource } from "../../checkouts/copy-folders.ts";
import type { GivenObject, ScratchObject } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import type { Copy } from "../copies/copy.ts";
import { ENTRIES_AT_ONCE, following } from "../files/copy-view.ts";
import { encodeCommit, parseCommit } from "../objects/commit-object.ts";
import { MissingObjectError, oidOf } from "../objects/git-object.ts";
import { objectSource } from "../objects/object-source.ts";
import type { KeptObject } from "../objects/store-port.ts";
import { openContents } from "../objects/stored-contents.ts";
import { parseTree } from "../objects/tree-object.ts";
import { applyChanges } from "../trees/apply-changes.ts";
import type { FileState } from "../trees/join-entries.ts";

/** Commits that are laid out, the newest included. */
const MAX_COMMITS = 20;
/** Blobs that the older commits may have and the newest has not: where they have more, the history begins with the newest. */
const MAX_HISTORY_BLOBS = 2_000;
const MAX_HISTORY_BYTES = 20_000_000;
/** Read by one request; the next is under way while these are written. */
const BLOBS_AT_ONCE = 500;
const SERVICE = { name: "Agent service", email: "service@workspace.invalid" };

/** A copy as it is now. */
export type CopyState = {
  readonly treeOid: string;
  /** The commit of that tree. */
  readonly commitOid: string;
  /** The commit, and those of its folders that the workspace may not have. */
  readonly made: readonly ScratchObject[];
};

/** Nobody else writes in the copy meanwhile. */
export async function stateOfCopy(
  core: Core,
  copy: Pick<Copy, "id" | "workspaceId" | "baseRevisionId" | "baseTreeOid">,
): Promise<CopyState> {
  const { workspaceId, baseRevisionId, baseTreeOid } = copy;
  const base = await core.store.committed.revisions.find(baseRevisionId);
  if (base === null) throw new TypeError(`Copy ${copy.id} has no base.`);
  const changes = await changesOver(core, copy.id);
  const applied = await applyChanges(objectSource(core, workspaceId), baseTreeOid, changes);
  if (!applied.ok) throw new TypeError(`Copy ${copy.id} has a file and a folder at ${applied.refusal.file}.`);
  const { root: treeOid, made } = applied.value;
  if (treeOid === baseTreeOid) return { treeOid, commitOid: base.commitOid, made: [] };
  const unsaved = unsavedCommit(treeOid, base);
  const trees = made.map(({ oid, data }) => ({ kind: "tree" as const, oid, data }));
  return { treeOid, commitOid: unsaved.oid, made: [...trees, unsaved] };
}

export type Layout = {
  readonly workspaceId: string;
  readonly headSha: string;
  /** The files. Default: those of the head. */
  readonly treeOid?: string;
  /** Objects that the workspace may not have. */
  readonly made?: readonly ScratchObject[];
};

type LaidOut = Pick<CopyFolderSource, "headSha" | "treeSha" | "objects" | "shallow" | "largeFiles">;

/** Its objects throw a MissingObjectError where one is not there. */
export function layOut(core: Core, { workspaceId, headSha, treeOid, made = [] }: Layout): LaidOut {
  const laying = new Laying(core, workspaceId, new Map(made.map((object) => [object.oid, object])));
  return {
    headSha,
    treeSha: treeOid,
    objects: laying.objects(headSha, treeOid),
    shallow: () => laying.shallow,
    largeFiles: (bytes) => laying.largeFiles(bytes),
  };
}

async function changesOver(core: Core, copyId: string): Promise<ReadonlyMap<string, FileState | null>> {
  const changes = new Map<string, FileState | null>();
  for (let from: string | null = null; ; ) {
    const range = { copyId, from, before: null, limit: ENTRIES_AT_ONCE };
    const entries = await core.store.committed.copyEntries.list(range);
    for (const { path, file } of entries) changes.set(path, file);
    const last = entries.at(-1);
    if (last === undefined || entries.length < ENTRIES_AT_ONCE) return changes;
    from = following(last.path);
  }
}

/** The commit of writes since the base, which have none yet: one for the folder alone. */
function unsavedCommit(
  tree: string,
  base: { readonly commitOid: string; readonly createdAt: number },
): ScratchObject {
  const signature = { ...SERVICE, at: base.createdAt };
  const message = "What was written in the copy since its base";
  const data = encodeCommit({
    tree,
    parents: [base.commitOid],
    author: signature,
    committer: signature,
    message,
  });
  return { kind: "commit", oid: oidOf({ kind: "commit", data }), data };
}

type Commit = { readonly object: ScratchObject; readonly tree: string; readonly parents: readonly string[] };

/** Trees by their oids, with the names in them that are needed again. */
type Walked = { readonly trees: Map<string, readonly Named[]>; readonly blobs: Set<string> };
type Named = { readonly name: string; readonly oid: string; readonly isFolder: boolean };

class Laying {
  shallow: readonly string[] = [];
  /** The tree of the files. */
  #root = EMPTY_TREE;
  readonly #core: Core;
  readonly #workspaceId: string;
  readonly #given: ReadonlyMap<string, ScratchObject>;
  readonly #walked: Walked = { trees: new Map(), blobs: new Set() };
  readonly #sizes = new Map<string, number>();

  constructor(core: Core, workspaceId: string, given: ReadonlyMap<string, ScratchObject>) {
    this.#core = core;
    this.#workspaceId = workspaceId;
    this.#given = given;
  }

  /** Those of the tree are the files; by default it is the head's. */
  async *objects(headSha: string, treeOid?: string): AsyncGenerator<GivenObject> {
    const [head, ...older] = await this.#commits(headSha);
    if (head === undefined) throw new MissingObjectError(headSha);
    this.#root = treeOid ?? head.tree;
    yield* await this.#walk([head.tree, this.#root]);
    const files = new Set(this.#walked.blobs);
    const history = await this.#history(older);
    const former = [...this.#walked.blobs].filter((oid) => !files.has(oid));
    const commits = history !== null && (await this.#isNear(former)) ? [head, ...older] : [head];
    const laidOut = new Set(commits.map(({ object }) => object.oid));
    this.shallow = commits
      .filter(({ parents }) => parents.some((parent) => !laidOut.has(parent)))
      .map(({ object }) => object.oid);
    for (const { object } of commits) yield object;
    if (history !== null && commits.length > 1) yield* history;
    yield* this.#blobs(commits.length > 1 ? [...files, ...former] : [...files]);
  }

  largeFiles(bytes: number): readonly string[] {
    const large = new Set([...this.#sizes].filter(([, size]) => size > bytes).map(([oid]) => oid));
    if (large.size === 0) return [];
    const paths: string[] = [];
    const rest = [{ prefix: "", oid: this.#root }];
    for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
      for (const { name, oid, isFolder } of this.#walked.trees.get(at.oid) ?? []) {
        if (isFolder) rest.push({ prefix: `${at.prefix}${name}/`, oid });
        else if (large.has(oid)) paths.push(at.prefix + name);
      }
    }
    return paths;
  }

  /** The newest first, each before its parents' parents. */
  async #commits(headSha: string): Promise<readonly Commit[]> {
    const commits: Commit[] = [];
    const seen = new Set([headSha]);
    for (let level = [headSha]; level.length > 0 && commits.length < MAX_COMMITS; ) {
      const found = (await this.#read(level)).map(commitOf);
      const left = MAX_COMMITS - commits.length;
      commits.push(...found.slice(0, left));
      const parents = found.slice(0, left).flatMap((commit) => commit.parents);
      level = [...new Set(parents)].filter((oid) => !seen.has(oid));
      for (const oid of level) seen.add(oid);
    }
    return commits;
  }

  /** Reads the trees that were not read yet, a level of folders at once, and returns them. */
  async #walk(roots: readonly string[]): Promise<readonly ScratchObject[]> {
    const { trees, blobs } = this.#walked;
    const found: ScratchObject[] = [];
    for (let level = this.#unknown(roots); level.length > 0; ) {
      const read = await this.#read(level);
      if (read.length < level.length) {
        const known = new Set(read.map(({ oid }) => oid));
        throw new MissingObjectError(level.find((oid) => !known.has(oid)) ?? "");
      }
      const folders: string[] = [];
      for (const object of read) {
        const entries = parseTree(object.data);
        const named = entries
          .filter(({ mode }) => mode !== "160000")
          .map(({ name, oid, mode }) => ({ name, oid, isFolder: mode === "40000" }));
        trees.set(object.oid, named);
        for (const { oid, isFolder } of named) {
          if (isFolder) folders.push(oid);
          else blobs.add(oid);
        }
      }
      found.push(...read);
      level = this.#unknown(folders);
    }
    return found;
  }

  #unknown(oids: readonly string[]): string[] {
    return [...new Set(oids)].filter((oid) => !this.#walked.trees.has(oid));
  }

  /** The trees of the older commits; null where one is not kept any more. */
  async #history(older: readonly Commit[]): Promise<readonly ScratchObject[] | null> {
    try {
      return await this.#walk(older.map(({ tree }) => tree));
    } catch (cause) {
      if (cause instanceof MissingObjectError) return null;
      throw cause;
    }
  }

  async #isNear(former: readonly string[]): Promise<boolean> {
    if (former.length > MAX_HISTORY_BLOBS) return false;
    const { committed } = this.#core.store;
    const sizes = await committed.objects.sizes({ workspaceId: this.#workspaceId, oids: former });
    return (
      sizes.size === former.length && [...sizes.values()].reduce((a, b) => a + b, 0) <= MAX_HISTORY_BYTES
    );
  }

  /** Trees and commits. Those that are not kept are left out. */
  async #read(oids: readonly string[]): Promise<readonly ScratchObject[]> {
    const given = oids.flatMap((oid) => this.#given.get(oid) ?? []);
    const own = new Set(given.map(({ oid }) => oid));
    const kept = await this.#find(oids.filter((oid) => !own.has(oid) && oid !== EMPTY_TREE));
    return [
      ...given,
      ...(oids.includes(EMPTY_TREE) ? [emptyTree] : []),
      ...kept.flatMap(({ oid, kind, data }) => (data === null ? [] : [{ oid, kind, data }])),
    ];
  }

  async *#blobs(oids: readonly string[]): AsyncGenerator<GivenObject> {
    const partAt = (at: number) => {
      const part = oids.slice(at, at + BLOBS_AT_ONCE);
      const reading = part.length === 0 ? Promise.resolve([]) : this.#find(part);
      // It is awaited in its turn, unless the reader leaves before.
      reading.catch(() => {});
      return { part, reading };
    };
    for (let at = 0, next = partAt(0); next.part.length > 0; ) {
      const { part, reading } = next;
      at += BLOBS_AT_ONCE;
      const found = await reading;
      next = partAt(at);
      if (found.length < part.length) {
        const known = new Set(found.map(({ oid }) => oid));
        throw new MissingObjectError(part.find((oid) => !known.has(oid)) ?? "");
      }
      for (const object of found) {
        this.#sizes.set(object.oid, object.size);
        yield this.#blobOf(object);
      }
    }
  }

  #blobOf({ data, blobKey, ...object }: KeptObject): GivenObject {
    const { oid, size } = object;
    if (data !== null) return { kind: "blob", oid, data };
    if (blobKey === null) throw new MissingObjectError(oid);
    const core = this.#core;
    const open = async function* () {
      yield* (await openContents(core, { ...object, blobKey })).content;
    };
    return { kind: "blob", oid, size, open };
  }

  async #find(oids: readonly string[]): Promise<readonly KeptObject[]> {
    if (oids.length === 0) return [];
    return await this.#core.store.committed.objects.find({ workspaceId: this.#workspaceId, oids });
  }
}

const emptyTree: ScratchObject = { kind: "tree", oid: EMPTY_TREE, data: new Uint8Array() };

function commitOf(object: ScratchObject): Commit {
  const { tree, parents } = parseCommit(object.data);
  return { object, tree, parents };
}
