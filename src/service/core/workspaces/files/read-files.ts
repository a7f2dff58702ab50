// GET …/files/list and …/files/stat.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import { sortKey } from "../objects/tree-object.ts";
import { checkFolder } from "../paths/workspace-path.ts";
import type { ContentView } from "./copy-overlay.ts";
import { findInView, type ViewFile, type ViewFolder, walkView } from "./copy-view.ts";
import { listView } from "./list-view.ts";
import { type FilesRequest, reachView } from "./reach-files.ts";
import type { ReadFilesRefusal } from "./refusals.ts";
import { withTargets } from "./symbolic-link.ts";

export type FilesPage = {
  readonly items: readonly (ViewFile | ViewFolder)[];
  /** Null at the end. */
  readonly nextCursor: string | null;
};

type ListFilesRequest = FilesRequest & {
  /** "": the root. */
  readonly path: string;
  /** True: the files in all folders below, by their whole paths. */
  readonly isRecursive: boolean;
  readonly cursor: string;
  readonly limit: number;
};

export async function listFiles(
  core: Core,
  request: ListFilesRequest,
): Promise<Result<FilesPage, ReadFilesRefusal>> {
  const { path, isRecursive, cursor, limit } = request;
  const folder = checkFolder(path);
  if (!folder.ok) return folder;
  const after = afterCursor(cursor, request);
  if (after === undefined) return refused({ reason: "list_cursor_malformed", cursor });
  const reached = await reachView(core, request);
  if (!reached.ok) return reached;
  const view = reached.value;
  // One more than is shown, so that the last page is known to be the last.
  const page = { folder: path, after, limit: limit + 1 };
  const found = isRecursive ? await walkPage(view, page) : await listView(view, page);
  if (found === null) return refused({ reason: "folder_not_found", path });
  const items = await withTargets(view.source, await withSizes(view, found.slice(0, limit)));
  const last = items.at(-1);
  const isLast = found.length <= limit || last === undefined;
  return ok({ items, nextCursor: isLast ? null : cursorOf(last, request) });
}

export async function statFile(
  core: Core,
  request: FilesRequest & { readonly path: string },
): Promise<Result<ViewFile | ViewFolder, ReadFilesRefusal>> {
  const { path } = request;
  const checked = checkFolder(path);
  if (!checked.ok) return checked;
  const reached = await reachView(core, request);
  if (!reached.ok) return reached;
  const found = await findInView(reached.value, path);
  if (found === null) return refused({ reason: "file_not_found", path });
  const view = reached.value;
  const [entry = found] = await withTargets(view.source, await withSizes(view, [found]));
  return ok(entry);
}

/** Null where there is no such folder. */
async function walkPage(
  view: ContentView,
  { folder, after, limit }: { folder: string; after: string | null; limit: number },
): Promise<readonly ViewFile[] | null> {
  const found: ViewFile[] = [];
  const options = after === null ? {} : { after };
  for await (const files of walkView(view, { under: folder, limit, ...options })) found.push(...files);
  if (found.length > 0 || after !== null || folder === "") return found;
  return (await findInView(view, folder))?.mode === "40000" ? found : null;
}

/** A submodule has no size. */
async function withSizes<Item extends ViewFile | ViewFolder>(
  { source }: ContentView,
  items: readonly Item[],
): Promise<readonly Item[]> {
  const unknown = items.filter((item) => "size" in item && item.size === null && item.mode !== "160000");
  const oids = unknown.map(({ oid }) => oid).filter((oid) => oid !== null);
  if (oids.length === 0) return items;
  const sizes = await source.sizes([...new Set(oids)]);
  return items.map((item) =>
    "size" in item && item.size === null && item.oid !== null
      ? { ...item, size: sizes.get(item.oid) ?? null }
      : item,
  );
}

/** The list that a cursor belongs to, so that one of another list is refused, and the place at which it goes on. */
function cursorOf(last: ViewFile | ViewFolder, { path, isRecursive }: ListFilesRequest): string {
  const name = path === "" ? last.path : last.path.slice(path.length + 1);
  const after = isRecursive ? last.path : sortKey({ mode: last.mode, name });
  return Buffer.from(JSON.stringify([isRecursive ? 1 : 0, path, after])).toString("base64url");
}

/** Null at the start; undefined for a cursor of something else. */
function afterCursor(cursor: string, { path, isRecursive }: ListFilesRequest): string | null | undefined {
  if (cursor === "") return null;
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (!Array.isArray(parts)) return undefined;
    const [kind, folder, after] = parts as readonly unknown[];
    const isOwn = kind === (isRecursive ? 1 : 0) && folder === path;
    const isText = typeof after === "string" && after.isWellFormed() && !after.includes("\0");
    return isOwn && isText ? after : undefined;
  } catch {
    return undefined;
  }
}
