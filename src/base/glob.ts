// Paths against patterns with *, ? and **. Linear in space and free of regular expressions, so that no
// pattern can make it slow. Pure.
// Why: docs/decisions/138-small-parsers-of-our-own.md

/** True when the whole path matches: `*` and `?` stay within a segment, a segment `**` stands for any number of them. */
export function matchesGlob(path: string, pattern: string): boolean {
  return matchesSequence({
    items: path.split("/"),
    pattern: pattern.split("/"),
    isStar: (segment) => segment === "**",
    isMatch: matchesSegment,
  });
}

function matchesSegment(text: string, pattern: string): boolean {
  return matchesSequence({
    items: [...text],
    pattern: [...pattern],
    isStar: (symbol) => symbol === "*",
    isMatch: (symbol, wanted) => wanted === "?" || symbol === wanted,
  });
}

type Sequence<Item, Wanted> = {
  readonly items: readonly Item[];
  readonly pattern: readonly Wanted[];
  /** Stands for any number of items. */
  isStar(wanted: Wanted): boolean;
  isMatch(item: Item, wanted: Wanted): boolean;
};

/** On a mismatch, only the last star takes one item more: an earlier one could gain nothing. */
export function matchesSequence<Item, Wanted>(sequence: Sequence<Item, Wanted>): boolean {
  const { items, pattern, isStar, isMatch } = sequence;
  let at = 0;
  let wantedAt = 0;
  let star = -1;
  let takenByStar = 0;
  while (at < items.length) {
    const wanted = pattern[wantedAt];
    const item = items[at];
    if (wanted !== undefined && isStar(wanted)) {
      star = wantedAt;
      takenByStar = at;
      wantedAt += 1;
    } else if (wanted !== undefined && item !== undefined && isMatch(item, wanted)) {
      at += 1;
      wantedAt += 1;
    } else if (star >= 0) {
      takenByStar += 1;
      at = takenByStar;
      wantedAt = star + 1;
    } else {
      return false;
    }
  }
  return pattern.slice(wantedAt).every(isStar);
}
