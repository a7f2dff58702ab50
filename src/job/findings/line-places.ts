// Places of a file's lines after a push, and lines that it changed. By a line diff (Myers 1986, "An O(ND) Difference Algorithm
// and Its Variations"). Pure.

import type { LineRange } from "./diff-lines.ts";

/** More edits than these are compared by contents alone. */
const MAX_EDITS = 1_500;
/** Blocks of fewer letters and digits are in many files: git's --color-moved takes the same bound. */
const MIN_MOVED_CHARS = 20;

type FileVersions = { readonly before: string; readonly after: string };

/**
 * Where the lines are now; null where they have changed. Lines that moved within the file have not. Lines beyond the end
 * of `before` stand for the whole file.
 */
export function placeNow(
  { before, after }: FileVersions,
  { startLine, line }: { readonly startLine: number; readonly line: number },
): LineRange | null {
  const old = linesOf(before);
  const now = linesOf(after);
  if (line > old.length) return before === after ? { first: startLine, last: line } : null;
  const kept = keptLines(old, now);
  const first = kept[startLine - 1] ?? -1;
  const isKept = old
    .slice(startLine - 1, line)
    .every((_, offset) => first >= 0 && kept[startLine - 1 + offset] === first + offset);
  if (isKept) return { first: first + 1, last: first + 1 + line - startLine };
  const block = old.slice(startLine - 1, line);
  const places = occurrences(now, block);
  const hasWords = /[\p{L}\p{N}]/u.test(block.join(""));
  const [moved] = places;
  if (!hasWords || moved === undefined || places.length < occurrences(old, block).length) return null;
  return { first: moved + 1, last: moved + block.length };
}

/** Whether a patch adds the lines, one after the other, as a move from another file does. */
export function addsLines(patch: string, text: readonly string[]): boolean {
  if ((text.join("").match(/[\p{L}\p{N}]/gu) ?? []).length < MIN_MOVED_CHARS) return false;
  const lines = linesOf(patch);
  return (
    occurrences(
      lines,
      text.map((line) => `+${line}`),
    ).length > 0
  );
}

/** Without the carriage returns of Windows. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/);
}

function occurrences(lines: readonly string[], block: readonly string[]): number[] {
  return lines.flatMap((_, at) => (block.every((line, offset) => lines[at + offset] === line) ? [at] : []));
}

/** For each line of `old` its index in `now`; -1 for one that is not kept. */
function keptLines(old: readonly string[], now: readonly string[]): readonly number[] {
  const kept = old.map(() => -1);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) {
    kept[start] = start;
    start += 1;
  }
  let [oldEnd, nowEnd] = [old.length, now.length];
  while (oldEnd > start && nowEnd > start && old[oldEnd - 1] === now[nowEnd - 1]) {
    oldEnd -= 1;
    nowEnd -= 1;
    kept[oldEnd] = nowEnd;
  }
  for (const [from, to] of commonLines(old.slice(start, oldEnd), now.slice(start, nowEnd))) {
    kept[start + from] = start + to;
  }
  return kept;
}

/** Pairs of indexes of a longest common subsequence; none where more than MAX_EDITS edits lie between. */
function commonLines(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  /** By diagonal k = x - y, the furthest x; one copy for each number of edits. */
  const traces: Map<number, number>[] = [];
  let furthest = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(MAX_EDITS, a.length + b.length); edits += 1) {
    traces.push(furthest);
    const next = new Map<number, number>();
    for (let k = -edits; k <= edits; k += 2) {
      let x = startOf(furthest, { k, edits });
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return backtrack(traces, { x, y: x - k });
    }
    furthest = next;
  }
  return [];
}

function startOf(furthest: ReadonlyMap<number, number>, { k, edits }: { k: number; edits: number }): number {
  const [below, above] = [furthest.get(k - 1) ?? -1, furthest.get(k + 1) ?? -1];
  return k === -edits || (k !== edits && below < above) ? above : below + 1;
}

function backtrack(
  traces: readonly ReadonlyMap<number, number>[],
  end: { readonly x: number; readonly y: number },
): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  let { x, y } = end;
  for (let edits = traces.length - 1; edits >= 0; edits -= 1) {
    const k = x - y;
    const furthest = traces[edits] ?? new Map<number, number>();
    const from = edits === 0 ? 0 : startOf(furthest, { k, edits });
    while (x > from && y > 0 && x > 0) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    if (edits === 0) break;
    const isDown = k === -edits || (k !== edits && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1));
    if (isDown) y -= 1;
    else x -= 1;
  }
  return pairs;
}
