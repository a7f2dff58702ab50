// Finds the line of a text that is most similar to another, which a model probably meant. Pure.

const MAX_COMPARED_CHARS = 200;
/** Below this, lines are not similar. */
const LEAST_LIKENESS = 0.5;

type SimilarLine = {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
};

/** Null when none is similar. White space at the ends is ignored; of equals the first wins. */
export function findSimilarLine(lines: readonly string[], wanted: string): SimilarLine | null {
  const wantedPairs = pairsOf(wanted);
  let best: SimilarLine | null = null;
  let most = LEAST_LIKENESS;
  for (const [index, text] of lines.entries()) {
    const found = likeness(wantedPairs, text);
    if (found <= most) continue;
    most = found;
    best = { line: index + 1, text };
  }
  return best;
}

type Pairs = { readonly counts: ReadonlyMap<string, number>; readonly total: number };

/** Dice coefficient of letter pairs: 1 for equal lines. */
function likeness(wanted: Pairs, text: string): number {
  const line = comparable(text);
  const total = Math.max(line.length - 1, 0);
  // No line of such a length could be alike.
  if (2 * Math.min(total, wanted.total) <= LEAST_LIKENESS * (total + wanted.total)) return 0;
  const left = new Map(wanted.counts);
  let shared = 0;
  for (let at = 0; at < total; at += 1) {
    const pair = line.slice(at, at + 2);
    const count = left.get(pair) ?? 0;
    if (count === 0) continue;
    left.set(pair, count - 1);
    shared += 1;
  }
  return (2 * shared) / (total + wanted.total);
}

function pairsOf(text: string): Pairs {
  const line = comparable(text);
  const counts = new Map<string, number>();
  for (let at = 0; at < line.length - 1; at += 1) {
    const pair = line.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total: Math.max(line.length - 1, 0) };
}

function comparable(text: string): string {
  return text.trim().replace(/\s+/g, " ").slice(0, MAX_COMPARED_CHARS);
}
