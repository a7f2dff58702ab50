// The table of changed files. Pure.

import { byteLength } from "../base/bounded-text.ts";
import { singleLine } from "../base/untrusted-text.ts";
import type { ChangesEvent, FileChange, HeldBackFile } from "../contract/runs/changes.ts";
import { firstAddedLines } from "../report/scan-patch.ts";
import { blobUrl, type FileLinks, filesUrl } from "./blob-url.ts";
import { diffstat, inlineCode, linkedCode } from "./markdown.ts";
import { countText, plural } from "./quantities.ts";

export const MAX_TABLE_FILES = 50;
const MAX_HELD_BACK_FILES = 10;

const MAX_PATH_CHARS = 160;
const MAX_REASON_CHARS = 300;

/**
 * A heading, one row a file and how many are left out, in at most `maxBytes`: of many files the most changed. Or why the
 * changes are unknown. "" when there are none.
 */
export function changesTable(
  changes: ChangesEvent["value"] | null,
  { maxBytes, links = null }: { readonly maxBytes: number; readonly links?: FileLinks | null | undefined },
): string {
  if (changes === null) return "";
  if (changes.unreadable !== undefined) return unreadableText(changes.unreadable, maxBytes);
  const heldBack = heldBackText(changes.held_back ?? []);
  const hasRoom = byteLength(heldBack) <= maxBytes / 2;
  const table = filesTable(changes.files, {
    maxBytes: hasRoom ? maxBytes - byteLength(heldBack) - 2 : maxBytes,
    urlOf: links === null ? () => null : linker(changes, links),
  });
  return [table, hasRoom ? heldBack : ""].filter((part) => part !== "").join("\n\n");
}

function unreadableText(why: string, maxBytes: number): string {
  const text = `**What the run changed could not be read:** ${inlineCode(singleLine(why, MAX_REASON_CHARS))}`;
  return byteLength(text) <= maxBytes ? text : "";
}

function heldBackText(files: readonly HeldBackFile[]): string {
  if (files.length === 0) return "";
  const named = files.slice(0, MAX_HELD_BACK_FILES).map(({ path, reason }) => {
    const why = reason === "protected" ? "protected" : "too large";
    return `${inlineCode(singleLine(path, MAX_PATH_CHARS))} (${why})`;
  });
  const more = files.length - named.length;
  return `**Held back, and not part of the changes:** ${named.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

type Linker = (file: FileChange) => string | null;

/** To the first changed line where the changes were pushed, else to the file before the change. */
function linker(changes: ChangesEvent["value"], links: FileLinks): Linker {
  const { changedSha } = links;
  const lines = changedSha === null ? null : firstAddedLines(changes.patch);
  return ({ path, status }) => {
    if (changedSha === null) {
      return status === "modified" ? blobUrl(filesUrl(links, changes.base_sha), { path }) : null;
    }
    if (status === "deleted") return null;
    const line = lines?.get(path);
    return blobUrl(filesUrl(links, changedSha), line === undefined ? { path } : { path, line });
  };
}

function filesTable(
  files: readonly FileChange[],
  { maxBytes, urlOf }: { readonly maxBytes: number; readonly urlOf: Linker },
): string {
  if (files.length === 0) return "";
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const heading = `### ${plural(files.length, "file")} changed: +${countText(additions)} −${countText(deletions)}`;
  const columns = "| File | | Diff |\n|:--|:--|:--|";
  const more = (count: number) => (count === 0 ? "" : `\n\nand ${plural(count, "more file")}`);
  let roomBytes = maxBytes - byteLength(heading + columns + more(files.length)) - 3;
  const rows: string[] = [];
  for (const file of mostChanged(files)) {
    const row = tableRow(file, urlOf(file));
    roomBytes -= byteLength(row) + 1;
    if (roomBytes < 0) break;
    rows.push(row);
  }
  if (rows.length === 0) return byteLength(heading) <= maxBytes ? heading : "";
  return `${heading}\n\n${[columns, ...rows].join("\n")}${more(files.length - rows.length)}`;
}

/** The files with the most changed lines, in the order they came. */
function mostChanged(files: readonly FileChange[]): readonly FileChange[] {
  if (files.length <= MAX_TABLE_FILES) return files;
  const size = (file: FileChange) => file.additions + file.deletions;
  const chosen = new Set(files.toSorted((a, b) => size(b) - size(a)).slice(0, MAX_TABLE_FILES));
  return files.filter((file) => chosen.has(file));
}

function tableRow(file: FileChange, url: string | null): string {
  const path = linkedCode(singleLine(file.path, MAX_PATH_CHARS), url);
  return `| ${path} | ${file.status} | ${diffstat(file.additions, file.deletions)} |`;
}
