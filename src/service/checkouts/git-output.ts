// Reads what git prints with -z: fields by position, so that a path may hold any byte but NUL. Pure.

import type { ChangedFile, Commit, TextCount, TextMatch } from "../core/checkouts/checkout.ts";

const NUL = 0;
const TAB = 9;
const LINE_FEED = 10;

export const COMMIT_FORMAT = "tformat:%H%x00%an%x00%ct%x00%s";
const COMMIT_FIELDS = 4;

/** Whole records only: a list that was cut loses its last, torn entry. */
export function splitRecords(output: Buffer): string[] {
  const fields = output.toString("utf8").split("\0");
  fields.pop();
  return fields;
}

/** Of `git log -z --format=COMMIT_FORMAT`. */
export function parseCommits(output: Buffer): Commit[] {
  const fields = splitRecords(output);
  const commits: Commit[] = [];
  for (let at = 0; at + COMMIT_FIELDS <= fields.length; at += COMMIT_FIELDS) {
    const [sha = "", author = "", seconds = "", subject = ""] = fields.slice(at, at + COMMIT_FIELDS);
    commits.push({ sha, author, at: (Number(seconds) || 0) * 1000, subject });
  }
  return commits;
}

type TreeMeasure = {
  readonly files: number;
  readonly bytes: number;
  /** Paths of the files above `largeBytes`. */
  readonly largeFiles: readonly string[];
};

/** Of `git ls-tree -r -l -z`: how many files a tree holds and how much they weigh. Only the large ones keep their names. */
export function measureTree(output: Buffer, largeBytes: number): TreeMeasure {
  const largeFiles: string[] = [];
  let files = 0;
  let bytes = 0;
  for (let start = 0; start < output.length; ) {
    const tab = output.indexOf(TAB, start);
    const end = output.indexOf(NUL, start);
    if (tab < 0 || end < 0) break;
    const size = Number(output.toString("latin1", start, tab).split(/ +/)[3]) || 0;
    files += 1;
    bytes += size;
    if (size > largeBytes) largeFiles.push(output.toString("utf8", tab + 1, end));
    start = end + 1;
  }
  return { files, bytes, largeFiles };
}

/** A file of a commit. `bytes` is 0 for what has no size of its own. */
type TreeFile = { readonly mode: string; readonly name: string; readonly bytes: number };

/** Of `git ls-tree -r -l -z`: the file at this path. Null where the commit has none. */
export function fileIn(output: Buffer, path: string): TreeFile | null {
  const wanted = Buffer.from(`\t${path}\0`);
  for (let at = output.indexOf(wanted); at >= 0; at = output.indexOf(wanted, at + 1)) {
    const start = output.lastIndexOf(NUL, at) + 1;
    // A path may hold a tab.
    if (output.indexOf(TAB, start) !== at) continue;
    const [mode = "", , name = "", size = ""] = output.toString("latin1", start, at).split(/ +/);
    return { mode, name, bytes: Number(size) || 0 };
  }
  return null;
}

/** Of `git diff-tree -r -z -M --raw --numstat`: the raw records come first, the counts after them. */
export function parseChanges(output: Buffer): ChangedFile[] {
  const fields = splitRecords(output);
  const statuses = new Map<string, ChangedFile["status"]>();
  let at = 0;
  while (fields[at]?.startsWith(":") === true) {
    const status = changeStatus(fields[at]?.split(" ")[4] ?? "");
    at += status === "renamed" ? 3 : 2;
    statuses.set(fields[at - 1] ?? "", status);
  }
  const files: ChangedFile[] = [];
  while (at < fields.length) {
    const [added = "", deleted = "", ...name] = (fields[at] ?? "").split("\t");
    const isRename = name.length === 1 && name[0] === "";
    const path = isRename ? (fields[at + 2] ?? "") : name.join("\t");
    at += isRename ? 3 : 1;
    const status = statuses.get(path) ?? "modified";
    files.push({ path, status, additions: Number(added) || 0, deletions: Number(deleted) || 0 });
  }
  return files;
}

const BETWEEN_GROUPS = Buffer.from("--\n");
/** So much of a line is shown before a match that is far from its beginning. */
const BEFORE_MATCH_BYTES = 100;

/**
 * Of `git grep -z -n --column`. Positions, not lines: a path may hold a line feed, and a line may hold NUL. A line beside a
 * match has no column.
 */
export function parseMatches(output: Buffer, maxTextBytes: number): TextMatch[] {
  const matches: TextMatch[] = [];
  for (let start = 0; start < output.length; ) {
    if (output.indexOf(BETWEEN_GROUPS, start) === start) start += BETWEEN_GROUPS.length;
    const pathEnd = output.indexOf(NUL, start);
    const lineEnd = pathEnd < 0 ? -1 : output.indexOf(NUL, pathEnd + 1);
    const textEnd = lineEnd < 0 ? -1 : output.indexOf(LINE_FEED, lineEnd + 1);
    if (textEnd < 0) break;
    const columnEnd = output.subarray(lineEnd + 1, Math.min(textEnd, lineEnd + 12)).indexOf(NUL);
    const columnText = columnEnd < 0 ? "" : output.toString("latin1", lineEnd + 1, lineEnd + 1 + columnEnd);
    const column = /^\d+$/.test(columnText) ? Number(columnText) : null;
    const textStart = column === null ? lineEnd + 1 : lineEnd + 2 + columnEnd;
    matches.push({
      path: output.toString("utf8", start, pathEnd),
      line: Number(output.toString("latin1", pathEnd + 1, lineEnd)),
      column,
      text: aroundMatch(output.subarray(textStart, textEnd), { column: column ?? 1, maxTextBytes }),
    });
    start = textEnd + 1;
  }
  return matches;
}

function aroundMatch(line: Buffer, part: { readonly column: number; readonly maxTextBytes: number }): string {
  const { column, maxTextBytes } = part;
  let from = column > maxTextBytes / 4 ? column - BEFORE_MATCH_BYTES : 0;
  // Not from within a character.
  while (from > 0 && from < line.length && ((line[from] ?? 0) & 0xc0) === 0x80) from += 1;
  const text = line.toString("utf8", from, from + maxTextBytes).replace(/\r$/, "");
  return from > 0 ? `…${text}` : text;
}

/** Of `git grep -z -c`. */
export function parseCounts(output: Buffer): TextCount[] {
  const counts: TextCount[] = [];
  for (let start = 0; start < output.length; ) {
    const pathEnd = output.indexOf(NUL, start);
    const end = pathEnd < 0 ? -1 : output.indexOf(LINE_FEED, pathEnd + 1);
    if (end < 0) break;
    counts.push({
      path: output.toString("utf8", start, pathEnd),
      lines: Number(output.toString("latin1", pathEnd + 1, end)) || 0,
    });
    start = end + 1;
  }
  return counts;
}

function changeStatus(letter: string): ChangedFile["status"] {
  if (letter.startsWith("R")) return "renamed";
  if (letter.startsWith("A")) return "added";
  if (letter.startsWith("D")) return "deleted";
  return "modified";
}
