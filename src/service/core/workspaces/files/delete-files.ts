// POST …/files/delete, …/files/restore and …/files/empty-trash.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Copy } from "../copies/copy.ts";
import type { CopyEntry, TrashItem } from "../copies/copy-entry.ts";
import { keepObjects, rowObject } from "../objects/keep-objects.ts";
import { checkPath } from "../paths/workspace-path.ts";
import { applyChanges } from "../trees/apply-changes.ts";
import { walkFiles } from "../trees/walk-files.ts";
import { type ContentView, viewOfCopy } from "./copy-overlay.ts";
import { findAbove, findInView, resolveInView, type ViewFile, walkView } from "./copy-view.ts";
import { etagOf, isMet } from "./etag.ts";
import { type CopyPlace, claimCopy, type FilesRequest, reachForWrite } from "./reach-files.ts";
import type { WriteFilesRefusal } from "./refusals.ts";

type DeleteRequest = FilesRequest<CopyPlace> & {
  /** Of a file or a folder. */
  readonly path: string;
  /** Null: whatever the file holds. */
  readonly ifMatch: readonly string[] | "any" | null;
};

/** Puts a file or a folder into the copy's trash. */
export async function deleteFiles(
  core: Core,
  request: DeleteRequest,
): Promise<Result<TrashItem, WriteFilesRefusal>> {
  const { caller, path, ifMatch, workspaceId } = request;
  const checked = checkPath(path);
  if (!checked.ok) return checked;
  const reached = await reachForWrite(core, request);
  if (!reached.ok) return reached;
  return await core.store.transact(async (tx) => {
    // Alone: nobody writes below a folder while its files are collected.
    const claimed = await claimCopy(tx, { caller, copyId: reached.value.id, isAlone: true });
    if (!claimed.ok) return claimed;
    const copy = claimed.value;
    const view = viewOfCopy(core, copy, tx);
    const found = await findInView(view, path);
    if (found === null) return refused({ reason: "file_not_found", path });
    if (found.mode === "40000") {
      const { oid, files } = await folderAsTree(core, tx, { copy, view, path, oid: found.oid });
      return ok(await toTrash(core, tx, { copy, view, path, mode: "40000", oid, files }));
    }
    const etag = etagOf(found);
    if (ifMatch !== null && !isMet(ifMatch, etag)) {
      return refused({ reason: "etag_mismatch", path, current: etag });
    }
    const { mode, oid } = found;
    await tx.objects.touch({ workspaceId, oids: [oid], now: core.clock.now() });
    return ok(await toTrash(core, tx, { copy, view, path, mode, oid, files: [found] }));
  });
}

type RestoreRequest = FilesRequest<CopyPlace> & { readonly handle: string };

/** Puts back what `deleteFiles` took, where its place is free. */
export async function restoreFiles(
  core: Core,
  request: RestoreRequest,
): Promise<Result<TrashItem, WriteFilesRefusal>> {
  const { caller, handle, workspaceId } = request;
  const reached = await reachForWrite(core, request);
  if (!reached.ok) return reached;
  return await core.store.transact(async (tx) => {
    const claimed = await claimCopy(tx, { caller, copyId: reached.value.id, isAlone: true });
    if (!claimed.ok) return claimed;
    const copy = claimed.value;
    const item = await tx.trash.find({ copyId: copy.id, handle });
    if (item === null) return refused({ reason: "trash_not_found", handle });
    const { path } = item;
    const view = viewOfCopy(core, copy, tx);
    const above = await findAbove(view, path);
    if (above !== null) return refused({ reason: "path_clash", file: above, below: path });
    if ((await findInView(view, path)) !== null) return refused({ reason: "path_taken", path });
    const files = await filesOf(view, item);
    const now = core.clock.now();
    await tx.objects.touch({ workspaceId, oids: [...new Set(files.map(({ oid }) => oid))], now });
    await putBack(core, tx, { copy, view, files });
    await tx.trash.remove({ copyId: copy.id, handle });
    return ok(item);
  });
}

/** Returns how many items there were. */
export async function emptyTrash(
  core: Core,
  request: FilesRequest<CopyPlace>,
): Promise<Result<number, WriteFilesRefusal>> {
  const reached = await reachForWrite(core, request);
  if (!reached.ok) return reached;
  return await core.store.transact(async (tx) => {
    const { caller } = request;
    const claimed = await claimCopy(tx, { caller, copyId: reached.value.id, isAlone: false });
    return claimed.ok ? ok(await tx.trash.purge(claimed.value.id)) : claimed;
  });
}

/** A folder as it is now, as a tree that is kept. */
async function folderAsTree(
  core: Core,
  tx: StoreTransaction,
  { copy, view, path, oid }: { copy: Copy; view: ContentView; path: string; oid: string | null },
): Promise<{ oid: string; files: readonly ViewFile[] }> {
  const { workspaceId } = copy;
  const now = core.clock.now();
  const files: ViewFile[] = [];
  for await (const some of walkView(view, { under: path })) files.push(...some);
  if (oid !== null) {
    await tx.objects.touch({ workspaceId, oids: [oid], now });
    return { oid, files };
  }
  const changes = new Map(files.map((file) => [file.path.slice(path.length + 1), file]));
  const tree = await applyChanges(view.source, EMPTY_TREE, changes);
  if (!tree.ok) throw new TypeError(`Folder ${path} has a file in the place of a folder.`);
  const objects = tree.value.made.map((one) => rowObject({ kind: "tree", data: one.data }, one.oid));
  await keepObjects(tx, { workspaceId, objects, now });
  return { oid: tree.value.root, files };
}

async function toTrash(
  core: Core,
  tx: StoreTransaction,
  {
    copy,
    view,
    files,
    ...what
  }: Pick<TrashItem, "path" | "mode" | "oid"> & {
    copy: Copy;
    view: ContentView;
    files: readonly ViewFile[];
  },
): Promise<TrashItem> {
  const now = core.clock.now();
  const { id: copyId, workspaceId } = copy;
  const base = { ...view, overlay: null };
  const entries: CopyEntry[] = [];
  // What the base does not have needs no word that it is deleted.
  const forgotten: string[] = [];
  for (const { path } of files) {
    const before = await resolveInView(base, path, null);
    if (before === null || before.mode === "40000") forgotten.push(path);
    else entries.push({ path, file: null, changedAt: now });
  }
  await tx.copyEntries.remove({ copyId, paths: forgotten });
  await tx.copyEntries.put({ copyId, entries });
  const handle = `trash/${core.random.uuid(now)}`;
  const item: TrashItem = { handle, workspaceId, copyId, ...what, files: files.length, deletedAt: now };
  await tx.trash.insert(item);
  return item;
}

async function filesOf({ source }: ContentView, item: TrashItem): Promise<readonly ViewFile[]> {
  const { path, mode, oid } = item;
  if (mode !== "40000") return [{ path, mode, oid, size: null }];
  const files: ViewFile[] = [];
  for await (const some of walkFiles(source, oid)) {
    files.push(...some.map((file) => ({ ...file, path: `${path}/${file.path}`, size: null })));
  }
  return files;
}

/** A file that is again as it is in the base needs no entry. */
async function putBack(
  core: Core,
  tx: StoreTransaction,
  { copy, view, files }: { copy: Copy; view: ContentView; files: readonly ViewFile[] },
): Promise<void> {
  const sizes = await view.source.sizes([...new Set(files.map(({ oid }) => oid))]);
  const changedAt = core.clock.now();
  const entries: CopyEntry[] = [];
  const unchanged: string[] = [];
  const base = { ...view, overlay: null };
  for (const { path, mode, oid } of files) {
    const before = await resolveInView(base, path, null);
    if (before?.oid === oid && before.mode === mode) unchanged.push(path);
    else entries.push({ path, file: { mode, oid, size: sizes.get(oid) ?? 0 }, changedAt });
  }
  await tx.copyEntries.remove({ copyId: copy.id, paths: unchanged });
  await tx.copyEntries.put({ copyId: copy.id, entries });
}
