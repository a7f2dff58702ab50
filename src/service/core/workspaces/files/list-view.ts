// The listing of one folder of a copy, page by page: its files, and the folders that have files, in git's order. Pure over its
// sources.

import { compareBytes } from "../../../../base/byte-order.ts";
import type { CopyEntry } from "../copies/copy-entry.ts";
import { sortKey, type TreeEntry } from "../objects/tree-object.ts";
import { listFolder } from "../objects/tree-source.ts";
import {
  type CopyView,
  ENTRIES_AT_ONCE,
  folderIn,
  following,
  type Overlay,
  rangeOf,
  type ViewFile,
  type ViewFolder,
} from "./copy-view.ts";

type FolderPage = {
  readonly folder: string;
  /** The sort key of an entry: only those behind it. */
  readonly after: string | null;
  readonly limit: number;
};

/** Writes at one name of the folder, or below it. */
type Written = {
  /** As in `sortKey`. */
  readonly key: string;
  readonly name: string;
  /** Null for a folder. */
  readonly entry: CopyEntry | null;
  /** Of a folder: whether a file was written in it. Else there are only deletions. */
  readonly hasFiles: boolean;
};

/** At most `limit` entries. Null where there is no such folder. */
export async function listView(
  view: CopyView,
  page: FolderPage,
): Promise<readonly (ViewFile | ViewFolder)[] | null> {
  const { folder, after, limit } = page;
  const { source, root, overlay } = view;
  const tree = await listFolder(source, root, folder);
  const isBehind = (key: string) => after === null || compareBytes(key, after) > 0;
  const base = (tree ?? []).filter((entry) => isBehind(sortKey(entry)));
  const path = (name: string) => (folder === "" ? name : `${folder}/${name}`);
  const found: (ViewFile | ViewFolder)[] = [];
  let at = 0;
  const takeBase = async (entry: TreeEntry) => {
    const { mode, oid } = entry;
    if (mode === "40000") found.push({ path: path(entry.name), mode, oid });
    else found.push({ path: path(entry.name), mode, oid, size: null });
  };
  if (overlay !== null) {
    for await (const written of writtenIn(overlay, folder, after)) {
      for (let next = base[at]; next !== undefined && found.length < limit; next = base[at]) {
        if (compareBytes(sortKey(next), written.key) >= 0) break;
        await takeBase(next);
        at += 1;
      }
      if (found.length >= limit) break;
      const own = base[at];
      const isOver = own !== undefined && sortKey(own) === written.key;
      if (isOver) at += 1;
      const shown = await shownWritten(view, { written, path: path(written.name), isOver });
      if (shown !== null) found.push(shown);
    }
  }
  for (; at < base.length && found.length < limit; at += 1) {
    const next = base[at];
    if (next !== undefined) await takeBase(next);
  }
  const isThere = folder === "" || found.length > 0 || after !== null;
  return isThere ? found : null;
}

async function shownWritten(
  view: CopyView,
  { written, path, isOver }: { written: Written; path: string; isOver: boolean },
): Promise<ViewFile | ViewFolder | null> {
  const { entry, hasFiles } = written;
  if (entry !== null) return entry.file === null ? null : { path, ...entry.file };
  if (hasFiles) return { path, mode: "40000", oid: null };
  // Only deletions: the base may have more files than those.
  return isOver ? await folderIn(view, path, null) : null;
}

/** Writes in a folder, name by name. Reads on behind a folder as soon as a file in it is known. */
async function* writtenIn(overlay: Overlay, folder: string, after: string | null): AsyncGenerator<Written> {
  const prefix = folder === "" ? "" : `${folder}/`;
  const { from, before } = rangeOf(folder);
  let next = after === null ? from : behind(prefix, after);
  /** A folder of which only deletions were read. */
  let open: Written | null = null;
  for (;;) {
    const entries = await overlay.list({ from: next, before, limit: ENTRIES_AT_ONCE });
    let skipped: string | null = null;
    for (const entry of entries) {
      if (skipped !== null && compareBytes(entry.path, skipped) < 0) continue;
      skipped = null;
      const written = writtenBy(entry, prefix);
      if (open !== null && open.key !== written.key) {
        yield open;
        open = null;
      }
      if (written.entry !== null || written.hasFiles) {
        open = null;
        yield written;
        if (written.entry === null) skipped = behind(prefix, written.key);
      } else open = written;
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < ENTRIES_AT_ONCE) break;
    next = skipped ?? following(last.path);
  }
  if (open !== null) yield open;
}

function writtenBy(entry: CopyEntry, prefix: string): Written {
  const rest = entry.path.slice(prefix.length);
  const slash = rest.indexOf("/");
  if (slash < 0) return { key: rest, name: rest, entry, hasFiles: false };
  const name = rest.slice(0, slash);
  return { key: `${name}/`, name, entry: null, hasFiles: entry.file !== null };
}

/** The first path behind an entry, and behind all that is in it where it is a folder. */
function behind(prefix: string, key: string): string {
  return key.endsWith("/") ? `${prefix}${key.slice(0, -1)}0` : following(prefix + key);
}
