// Files of workspaces as the contract shows them. Pure.

import type { FileEntryView } from "../../../contract/workspaces/files/files.ts";
import type { ViewFile, ViewFolder } from "../../core/workspaces/files/copy-view.ts";
import { etagOf } from "../../core/workspaces/files/etag.ts";
import type { FileText } from "../../core/workspaces/files/read-content.ts";
import type { FilesPage } from "../../core/workspaces/files/read-files.ts";
import { LINK_MODE } from "../../core/workspaces/files/symbolic-link.ts";

export function toFileEntry(entry: ViewFile | ViewFolder): FileEntryView {
  const { path } = entry;
  const placed = { path, name: path.slice(path.lastIndexOf("/") + 1) };
  if (entry.mode === "40000") return { type: "folder", ...placed, oid: entry.oid };
  const { mode, oid } = entry;
  if (mode === "160000") return { type: "submodule", ...placed, mode, oid };
  const sized = { ...placed, mode, oid, size: entry.size ?? 0, etag: etagOf(entry) };
  if (mode === LINK_MODE) return { type: "symlink", ...sized, target: entry.target ?? null };
  return { type: "file", ...sized };
}

export function toFileList({ items, nextCursor }: FilesPage) {
  return { items: items.map(toFileEntry), next_cursor: nextCursor ?? "" };
}

export function toFileText({ file, content }: FileText) {
  const { path, mode, oid, size, target } = file;
  const link = mode === LINK_MODE ? { target: target ?? null } : {};
  return { path, content, encoding: "utf-8" as const, mode, oid, size, etag: etagOf(file), ...link };
}

export function toFileWindow(text: FileText) {
  return { ...toFileText(text), offset: text.offset, next_offset: text.nextOffset };
}
