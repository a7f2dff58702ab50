// The files of a copy as they are now: the tree of its base, and over it what was written since. A revision is the same without
// anything over it. Pure over its sources.

import { compareBytes } from "../../../../base/byte-order.ts";
import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import type { CopyEntry } from "../copies/copy-entry.ts";
import type { FileMode } from "../objects/tree-object.ts";
import { findEntry, type TreeSource } from "../objects/tree-source.ts";
import { foldersAbove } from "../paths/workspace-path.ts";
import { walkFiles } from "../trees/walk-files.ts";

export type CopyView = {
  readonly source: TreeSource;
  /** The base's tree. */
  readonly root: string;
  /** Null where nothing can have been written: a revision. */
  readonly overlay: Overlay | null;
};

export type Overlay = {
  find(path: string): Promise<CopyEntry | null>;
  findAll(paths: readonly string[]): Promise<readonly CopyEntry[]>;
  /** In byte order, from `from` on, up to and not including `before`. Null: from the start, to the end. */
  list(range: { from: string | null; before: string | null; limit: number }): Promise<readonly CopyEntry[]>;
};

/** `size` is null where it is known from the file's object alone. */
export type ViewFile = {
  readonly path: string;
  readonly mode: FileMode;
  readonly oid: string;
  readonly size: number | null;
  /** Of a symbolic link, where it was asked for: where it leads. Null where its contents are no path. */
  readonly target?: string | null;
};
/** `oid` is null where something was written in the folder since the base. */
export type ViewFolder = { readonly path: string; readonly mode: "40000"; readonly oid: string | null };

export const ENTRIES_AT_ONCE = 1_000;

/** The file or the folder at a path; null where nothing is. The root is a folder, and always there. */
export async function findInView(view: CopyView, path: string): Promise<ViewFile | ViewFolder | null> {
  const { overlay } = view;
  return await resolveInView(view, path, path === "" ? null : ((await overlay?.find(path)) ?? null));
}

/** The same for who has read what was written at the path itself. */
export async function resolveInView(
  view: CopyView,
  path: string,
  entry: CopyEntry | null,
): Promise<ViewFile | ViewFolder | null> {
  const { overlay, source, root } = view;
  if (entry !== null && entry.file !== null) return { path, ...entry.file };
  const base = await findEntry(source, root, path);
  // A deleted file may have made place for a folder.
  if (base !== null && base.mode !== "40000" && entry === null) {
    return { path, mode: base.mode, oid: base.oid, size: null };
  }
  const tree = base?.mode === "40000" ? base.oid : null;
  if (path === "")
    return { path, mode: "40000", oid: overlay === null ? root : await unchanged(view, path, tree) };
  if (overlay === null) return tree === null ? null : { path, mode: "40000", oid: tree };
  return await folderIn(view, path, tree);
}

/** The file that takes the place of a folder above the path. Null where there is none. */
export async function findAbove(view: CopyView, path: string): Promise<string | null> {
  const folders = foldersAbove(path);
  if (folders.length === 0) return null;
  const entries = new Map(((await view.overlay?.findAll(folders)) ?? []).map((entry) => [entry.path, entry]));
  for (const folder of folders) {
    const entry = entries.get(folder);
    if (entry !== undefined) {
      if (entry.file !== null) return folder;
      continue;
    }
    const base = await findEntry(view.source, view.root, folder);
    if (base !== null && base.mode !== "40000") return folder;
  }
  return null;
}

/** The folder, where a file of it is left. */
export async function folderIn(
  view: CopyView,
  path: string,
  tree: string | null,
): Promise<ViewFolder | null> {
  const oid = await unchanged(view, path, tree);
  if (oid !== null) return { path, mode: "40000", oid };
  for await (const _files of walkView(view, { under: path, limit: 1 }))
    return { path, mode: "40000", oid: null };
  return null;
}

/** The folder's tree, when nothing was written in it since the base. */
async function unchanged({ overlay }: CopyView, path: string, tree: string | null): Promise<string | null> {
  if (overlay === null) return tree;
  const [first] = await overlay.list({ ...rangeOf(path), limit: 1 });
  return first === undefined ? tree : null;
}

type ViewWalk = { readonly under?: string; readonly after?: string; readonly limit?: number };

/** The files below a folder, in the byte order of their whole paths, some at a time. Resumes behind `after` without reading before it. */
export async function* walkView(view: CopyView, options: ViewWalk = {}): AsyncGenerator<readonly ViewFile[]> {
  const { under = "", after, limit = Number.POSITIVE_INFINITY } = options;
  const { source, root, overlay } = view;
  if (overlay === null) {
    for await (const files of walkFiles(source, root, options)) yield files.map(withoutSize);
    return;
  }
  let left = limit;
  const written = new EntryQueue(overlay, { ...rangeOf(under), ...(after === undefined ? {} : { after }) });
  for await (const files of walkBase(view, { under, ...(after === undefined ? {} : { after }) })) {
    const merged: ViewFile[] = [];
    for (const file of files) {
      for (const entry of await written.takeBefore(file.path))
        if (entry.file !== null) merged.push(shown(entry));
      const own = await written.takeAt(file.path);
      if (own === null) merged.push(withoutSize(file));
      else if (own.file !== null) merged.push(shown(own));
      if (merged.length >= left) break;
    }
    const some = merged.slice(0, left);
    left -= some.length;
    if (some.length > 0) yield some;
    if (left <= 0) return;
  }
  while (left > 0) {
    const entries = await written.takeSome();
    if (entries.length === 0) return;
    const some = entries
      .filter(({ file }) => file !== null)
      .map(shown)
      .slice(0, left);
    left -= some.length;
    if (some.length > 0) yield some;
  }
}

async function* walkBase({ source, root }: CopyView, options: { under: string; after?: string }) {
  if (root !== EMPTY_TREE) yield* walkFiles(source, root, options);
}

/** Entries of a range in order, read some at a time. */
class EntryQueue {
  readonly #overlay: Overlay;
  readonly #before: string | null;
  #from: string | null;
  #held: readonly CopyEntry[] = [];
  #at = 0;
  #isRead = false;

  constructor(
    overlay: Overlay,
    { from, before, after }: { from: string | null; before: string | null; after?: string },
  ) {
    this.#overlay = overlay;
    this.#before = before;
    const next = after === undefined ? null : following(after);
    this.#from = next !== null && (from === null || compareBytes(next, from) > 0) ? next : from;
  }

  async takeBefore(path: string): Promise<readonly CopyEntry[]> {
    const taken: CopyEntry[] = [];
    for (let next = await this.#peek(); next !== null; next = await this.#peek()) {
      if (compareBytes(next.path, path) >= 0) break;
      taken.push(next);
      this.#at += 1;
    }
    return taken;
  }

  async takeAt(path: string): Promise<CopyEntry | null> {
    const next = await this.#peek();
    if (next?.path !== path) return null;
    this.#at += 1;
    return next;
  }

  /** Empty at the end. */
  async takeSome(): Promise<readonly CopyEntry[]> {
    if ((await this.#peek()) === null) return [];
    const some = this.#held.slice(this.#at);
    this.#at = this.#held.length;
    return some;
  }

  async #peek(): Promise<CopyEntry | null> {
    const held = this.#held[this.#at];
    if (held !== undefined) return held;
    if (this.#isRead) return null;
    this.#held = await this.#overlay.list({ from: this.#from, before: this.#before, limit: ENTRIES_AT_ONCE });
    this.#at = 0;
    const last = this.#held.at(-1);
    this.#isRead = last === undefined || this.#held.length < ENTRIES_AT_ONCE;
    if (last !== undefined) this.#from = following(last.path);
    return this.#held[0] ?? null;
  }
}

/** All that lies below a folder. */
export function rangeOf(folder: string): { readonly from: string | null; readonly before: string | null } {
  // "0" is the character behind "/".
  return folder === "" ? { from: null, before: null } : { from: `${folder}/`, before: `${folder}0` };
}

/** The first path behind this one: no path has a NUL, and databases take none. */
export function following(path: string): string {
  return `${path}\u0001`;
}

function shown({ path, file }: CopyEntry): ViewFile {
  if (file === null) throw new TypeError(`${path} is deleted.`);
  return { path, ...file };
}

function withoutSize({ path, mode, oid }: Omit<ViewFile, "size">): ViewFile {
  return { path, mode, oid, size: null };
}
