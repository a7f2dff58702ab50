// Writes of files to a copy: each on the condition that what was there is what its writer has seen, all or none, in one
// transaction. Writers of different files do not wait for each other.
// Why: docs/decisions/074-files-are-read-in-bytes-and-written-on-a-condition.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Copy } from "../copies/copy.ts";
import type { CopyEntry, StoredFile } from "../copies/copy-entry.ts";
import { type Content, keepContents } from "../objects/keep-objects.ts";
import type { FileMode } from "../objects/tree-object.ts";
import { findEntry, findFile } from "../objects/tree-source.ts";
import { checkPath, foldersAbove } from "../paths/workspace-path.ts";
import type { WorkspaceCaller } from "../workspace-caller.ts";
import { type ContentView, viewOfCopy } from "./copy-overlay.ts";
import { folderIn, type ViewFile } from "./copy-view.ts";
import { etagOf, isMet, type Precondition } from "./etag.ts";
import { newPathFault } from "./path-twins.ts";
import { claimCopy } from "./reach-files.ts";
import type { WriteFilesRefusal } from "./refusals.ts";
import { LINK_MODE, staysInside, targetOf } from "./symbolic-link.ts";

export type FileWrite = {
  readonly path: string;
  readonly content: Content;
  /** Null: as it was; a new file is a plain one. */
  readonly mode: FileMode | null;
  readonly precondition: Precondition;
};

export type WrittenFile = ViewFile & { readonly size: number; readonly isNew: boolean };

/** Attempts to judge a write anew after another writer was faster. */
const MAX_ATTEMPTS = 8;

/** The copy's base, or a file in question, is another one than was judged: everything is undone, and judged anew. */
class MovedError extends Error {
  readonly path: string;

  constructor(path: string) {
    super("The copy was changed meanwhile.");
    this.path = path;
  }
}

/** A refusal that undoes the transaction. */
class RefusedWriteError extends Error {
  readonly refusal: WriteFilesRefusal;

  constructor(refusal: WriteFilesRefusal) {
    super("The write was refused.");
    this.refusal = refusal;
  }
}

type WriteRequest = {
  readonly caller: WorkspaceCaller;
  readonly copy: Copy;
  readonly writes: readonly FileWrite[];
};

export async function writeEntries(
  core: Core,
  request: WriteRequest,
): Promise<Result<readonly WrittenFile[], WriteFilesRefusal>> {
  const clash = clashWithin(request.writes);
  if (clash !== null) return refused(clash);
  let { copy } = request;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptWrite(core, { ...request, copy });
    } catch (cause) {
      if (cause instanceof RefusedWriteError) return refused(cause.refusal);
      if (!(cause instanceof MovedError)) throw cause;
      if (attempt === MAX_ATTEMPTS) return refused({ reason: "files_contended", path: cause.path });
      copy = (await core.store.committed.copies.find(copy.id)) ?? copy;
    }
  }
}

/** A write with what is at its path when it is judged. */
type Judged = {
  readonly write: FileWrite;
  /** Undefined: nothing was written there since the base. */
  readonly entry: CopyEntry | undefined;
  readonly current: ViewFile | null;
  readonly file: StoredFile;
};

async function attemptWrite(
  core: Core,
  { caller, copy, writes }: WriteRequest,
): Promise<Result<readonly WrittenFile[], WriteFilesRefusal>> {
  const view = viewOfCopy(core, copy);
  const judged = await judge(view, writes);
  if (!judged.ok) return judged;
  const changed = judged.value.filter(({ current, file }) => !isSame(current, file));
  const made = judged.value.filter(({ current }) => current === null).map(({ write }) => write.path);
  const fault = await newPathFault(core, view, made);
  if (fault !== null) return refused(fault);
  if (changed.length > 0) {
    await core.store.transact(async (tx) => {
      const claimed = await claimCopy(tx, { caller, copyId: copy.id, isAlone: false });
      if (!claimed.ok) throw new RefusedWriteError(claimed.refusal);
      if (claimed.value.baseTreeOid !== copy.baseTreeOid) throw new MovedError(writes[0]?.path ?? "");
      await putFiles(core, tx, { copy, changed });
    });
  }
  return ok(
    judged.value.map(({ write: { path, content }, file, current }) => ({
      path,
      ...file,
      isNew: current === null,
      ...(file.mode === LINK_MODE ? { target: targetOf(content.object.data) } : {}),
    })),
  );
}

/** The file at each path. Whether a folder is in the way of a new one is found out where the path is claimed. */
async function judge(
  view: ContentView,
  writes: readonly FileWrite[],
): Promise<Result<readonly Judged[], WriteFilesRefusal>> {
  const entries = await entriesAt(view, writes);
  const judged: Judged[] = [];
  for (const write of writes) {
    const { path, precondition, content } = write;
    const entry = entries.get(path);
    const current = entry === undefined ? await fileInBase(view, path) : fileOf(entry);
    const { oid, size } = content.object;
    const kept = current === null || current.mode === "160000" ? "100644" : current.mode;
    const file: StoredFile = { oid, size, mode: write.mode ?? kept };
    const fault = linkFault(write, file);
    if (fault !== null) return refused(fault);
    const etag = current === null ? null : etagOf(current);
    // Even when the same is there: two who count one up must not both be told that they did.
    if (!isMet(precondition, etag)) return refused({ reason: "etag_mismatch", path, current: etag });
    judged.push({ write, entry, current, file });
  }
  return ok(judged);
}

/** Also of a link that is written over without a word about its mode. */
function linkFault({ path, content }: FileWrite, { mode }: StoredFile): WriteFilesRefusal | null {
  if (mode !== LINK_MODE) return null;
  const checked = checkPath(path, mode);
  if (!checked.ok) return checked.refusal;
  const target = targetOf(content.object.data);
  if (target !== null && staysInside(path, target)) return null;
  return { reason: "link_target_invalid", path, target };
}

async function fileInBase({ source, root }: ContentView, path: string): Promise<ViewFile | null> {
  const found = await findFile(source, root, path);
  return found === null ? null : { ...found, size: null };
}

function fileOf({ path, file }: CopyEntry): ViewFile | null {
  return file === null ? null : { path, ...file };
}

async function entriesAt(
  { overlay }: ContentView,
  writes: readonly FileWrite[],
): Promise<ReadonlyMap<string, CopyEntry>> {
  const [only] = writes;
  if (overlay === null) return new Map();
  const entries =
    writes.length === 1 && only !== undefined
      ? [await overlay.find(only.path)]
      : await overlay.findAll(writes.map(({ path }) => path));
  return new Map(entries.filter((entry) => entry !== null).map((entry) => [entry.path, entry]));
}

async function putFiles(
  core: Core,
  tx: StoreTransaction,
  { copy, changed }: { copy: Copy; changed: readonly Judged[] },
): Promise<void> {
  const { id: copyId, workspaceId } = copy;
  const now = core.clock.now();
  const made = changed.filter(({ current }) => current === null);
  await claimFree(core, tx, { copy, paths: made.map(({ write }) => write.path) });
  await keepContents(tx, { workspaceId, contents: changed.map(({ write }) => write.content), now });
  const entryOf = ({ write: { path }, file }: Judged): CopyEntry => ({ path, file, changedAt: now });
  const absent = changed.filter(({ entry }) => entry === undefined);
  const inserted = await tx.copyEntries.insert({ copyId, entries: absent.map(entryOf) });
  for (const { write } of absent) if (!inserted.has(write.path)) throw new MovedError(write.path);
  // Everybody in one order, so that nobody waits in a circle.
  const others = changed.filter(({ entry }) => entry !== undefined);
  for (const one of others.toSorted((a, b) => (a.write.path < b.write.path ? -1 : 1))) {
    const write = { copyId, entry: entryOf(one), expected: one.entry?.file ?? null };
    if (!(await tx.copyEntries.replace(write))) throw new MovedError(one.write.path);
  }
}

/** Makes sure that new files lie in no file and take no folder's place, whatever others make meanwhile. */
async function claimFree(
  core: Core,
  tx: StoreTransaction,
  { copy, paths }: { copy: Copy; paths: readonly string[] },
): Promise<void> {
  if (paths.length === 0) return;
  const { id: copyId } = copy;
  await tx.copyEntries.claimPaths({ copyId, paths });
  const view = viewOfCopy(core, copy, tx);
  const folders = new Set(paths.flatMap((path) => [...foldersAbove(path)]));
  const found = await tx.copyEntries.findAll({ copyId, paths: [...paths, ...folders] });
  const entries = new Map(found.map((entry) => [entry.path, entry]));
  const files = new Set<string>();
  for (const folder of folders) {
    const entry = entries.get(folder);
    const file = entry === undefined ? await fileInBase(view, folder) : fileOf(entry);
    if (file !== null) files.add(folder);
  }
  const written = await tx.copyEntries.findWritten({ copyId, folders: paths });
  for (const path of paths) {
    const above = foldersAbove(path).find((folder) => files.has(folder));
    if (above !== undefined) throw new RefusedWriteError({ reason: "path_clash", file: above, below: path });
    const own = entries.get(path);
    if (own !== undefined && own.file !== null) throw new MovedError(path);
    const base = await findEntry(view.source, view.root, path);
    const isFolder =
      written.has(path) || (base?.mode === "40000" && (await folderIn(view, path, base.oid)) !== null);
    if (isFolder) throw new RefusedWriteError({ reason: "path_clash", file: path, below: `${path}/` });
  }
}

/** Two writes of one path, or a file that another one needs as its folder. */
function clashWithin(writes: readonly FileWrite[]): WriteFilesRefusal | null {
  const paths = new Set<string>();
  for (const { path } of writes) {
    if (paths.has(path)) return { reason: "paths_repeated", path };
    paths.add(path);
  }
  for (const path of paths) {
    const above = foldersAbove(path).find((folder) => paths.has(folder));
    if (above !== undefined) return { reason: "path_clash", file: above, below: path };
  }
  return null;
}

function isSame(current: ViewFile | null, file: StoredFile): boolean {
  return current?.oid === file.oid && current.mode === file.mode;
}
