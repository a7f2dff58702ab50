// Positions of notes in the diff of a merge request. GitLab takes a note only where its diff has a line: an added line by its new number, an
// unchanged one by both. https://docs.gitlab.com/api/discussions/#create-a-new-thread-in-the-merge-request-diff (2026-11-29). Pure.

import { createHash } from "node:crypto";

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** A line of the new file, as the diff has it; `old` is null of an added one. `at` is where the old file is by then. */
type DiffLine = { readonly old: number | null; readonly at: number; readonly hunk: number };

/** The lines of the new file that a diff shows, by their numbers. */
export type DiffLines = ReadonlyMap<number, DiffLine>;

export function linesOfDiff(diff: string): DiffLines {
  const lines = new Map<number, DiffLine>();
  let [before, after, hunk] = [0, 0, 0];
  for (const line of diff.split("\n")) {
    const start = HUNK.exec(line);
    if (start !== null) {
      [before, after] = [Number(start[1]), Number(start[2])];
      hunk += 1;
    } else if (hunk === 0) continue;
    else if (line.startsWith("+")) {
      lines.set(after, { old: null, at: before, hunk });
      after += 1;
    } else if (line.startsWith("-")) before += 1;
    else if (line.startsWith(" ")) {
      lines.set(after, { old: before, at: before, hunk });
      before += 1;
      after += 1;
    }
  }
  return lines;
}

export type DiffRefs = { readonly base_sha: string; readonly head_sha: string; readonly start_sha: string };

export type PositionedFile = {
  readonly oldPath: string;
  readonly newPath: string;
  readonly lines: DiffLines;
};

type Lines = { readonly startLine: number; readonly line: number };

/** Null where the diff does not show the lines, in one hunk. `withRange`: the note is at all of the lines, not at the last one alone. */
export function positionOf(
  { startLine, line }: Lines,
  {
    file,
    refs,
    withRange,
  }: { readonly file: PositionedFile; readonly refs: DiffRefs; readonly withRange: boolean },
): object | null {
  const [first, last] = [file.lines.get(startLine), file.lines.get(line)];
  if (first === undefined || last === undefined || first.hunk !== last.hunk) return null;
  const range = { start: endOf(file, startLine, first), end: endOf(file, line, last) };
  return {
    position_type: "text",
    ...refs,
    old_path: file.oldPath,
    new_path: file.newPath,
    new_line: line,
    ...(last.old === null ? {} : { old_line: last.old }),
    ...(withRange && startLine !== line ? { line_range: range } : {}),
  };
}

function endOf({ newPath }: PositionedFile, line: number, { old, at }: DiffLine): object {
  const path = createHash("sha1").update(newPath).digest("hex");
  return {
    line_code: `${path}_${at}_${line}`,
    type: old === null ? "new" : "old",
    new_line: line,
    ...(old === null ? {} : { old_line: old }),
  };
}
