// The unified diff of replacements whose places are known: nothing has to be searched for. Pure.

const CONTEXT_LINES = 3;

/** The place of a replaced text, and the text instead. */
export type Replacement = { readonly start: number; readonly length: number; readonly newText: string };

/** Whole lines, their ends included, that take the place of others. */
type Change = {
  /** Counted from 0, in the old text. */
  readonly at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
};

/** The hunks, each beginning with its `@@` line; none where no line differs. Line ends are shown as LF. */
export function replacementHunks(text: string, places: readonly Replacement[]): string[] {
  const lines = splitLines(text);
  const changes = changedLines(lines, places);
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1);
    const before = last?.at(-1);
    if (last !== undefined && before !== undefined && isNear(before, change)) last.push(change);
    else hunks.push([change]);
  }
  let shift = 0;
  return hunks.map((hunk) => {
    const text = formatHunk(lines, hunk, shift);
    for (const { added, removed } of hunk) shift += added.length - removed.length;
    return text;
  });
}

function isNear(before: Change, next: Change): boolean {
  return next.at - (before.at + before.removed.length) <= 2 * CONTEXT_LINES;
}

/** Replacements that share a line are one change. */
function changedLines(lines: readonly string[], places: readonly Replacement[]): Change[] {
  const offsets = lineOffsets(lines);
  const groups: { first: number; last: number; places: Replacement[] }[] = [];
  let line = 0;
  const lineAt = (offset: number) => {
    while (line < lines.length - 1 && (offsets[line + 1] ?? 0) <= offset) line += 1;
    return line;
  };
  for (const place of places) {
    const first = lineAt(place.start);
    // Up to the line that comes right after the replaced text: its beginning may be joined to what stays before.
    const last = lineAt(place.start + place.length);
    const group = groups.at(-1);
    if (group === undefined || first > group.last) groups.push({ first, last, places: [place] });
    else {
      group.last = last;
      group.places.push(place);
    }
  }
  return groups.map((group) => {
    const removed = lines.slice(group.first, group.last + 1);
    const from = offsets[group.first] ?? 0;
    const within = group.places.map((place) => ({ ...place, start: place.start - from }));
    return trimmed({ at: group.first, removed, added: splitLines(replaceAt(removed.join(""), within)) });
  });
}

/** The text with its places replaced: ascending, none overlapping another. */
export function replaceAt(text: string, places: readonly Replacement[]): string {
  const parts: string[] = [];
  let kept = 0;
  for (const { start, length, newText } of places) {
    parts.push(text.slice(kept, start), newText);
    kept = start + length;
  }
  return parts.join("") + text.slice(kept);
}

function lineOffsets(lines: readonly string[]): number[] {
  let offset = 0;
  return lines.map((line) => {
    const start = offset;
    offset += line.length;
    return start;
  });
}

/** Without the lines at its beginning and end that stay. */
function trimmed({ at, removed, added }: Change): Change {
  const most = Math.min(removed.length, added.length);
  let head = 0;
  while (head < most && removed[head] === added[head]) head += 1;
  let tail = 0;
  while (tail < most - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail += 1;
  return {
    at: at + head,
    removed: removed.slice(head, removed.length - tail),
    added: added.slice(head, added.length - tail),
  };
}

function formatHunk(lines: readonly string[], hunk: readonly Change[], shift: number): string {
  const first = Math.max((hunk[0]?.at ?? 0) - CONTEXT_LINES, 0);
  const body: string[] = [];
  let oldCount = 0;
  let newCount = 0;
  const keep = (from: number, to: number) => {
    const kept = lines.slice(from, to);
    body.push(...kept.map((line) => marked(" ", line)));
    oldCount += kept.length;
    newCount += kept.length;
  };
  let at = first;
  for (const change of hunk) {
    keep(at, change.at);
    body.push(...change.removed.map((line) => marked("-", line)));
    body.push(...change.added.map((line) => marked("+", line)));
    oldCount += change.removed.length;
    newCount += change.added.length;
    at = change.at + change.removed.length;
  }
  keep(at, at + CONTEXT_LINES);
  return `@@ -${range(first, oldCount)} +${range(first + shift, newCount)} @@\n${body.join("\n")}`;
}

/** Counted from 1; an empty range names the line before it. */
function range(start: number, count: number): string {
  const line = count === 0 ? start : start + 1;
  return count === 1 ? `${line}` : `${line},${count}`;
}

function marked(mark: string, line: string): string {
  if (!line.endsWith("\n")) return `${mark}${line}\n\\ No newline at end of file`;
  return mark + line.replace(/\r?\n$/, "");
}

/** Lines with their ends; a text that is empty has none. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
