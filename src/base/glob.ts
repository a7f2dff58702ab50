// Matches paths against patterns with *, ? and **. Linear in space and free of regular expressions, so that no
// pattern can make it slow. Pure.

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

type Sequence = {
  readonly items: readonly string[];
  readonly pattern: readonly string[];
  /** Stands for any number of items. */
  isStar(wanted: string): boolean;
  isMatch(item: string, wanted: string): boolean;
};

/** On a mismatch, only the last star takes one item more: an earlier one could gain nothing. */
function matchesSequence({ items, pattern, isStar, isMatch }: Sequence): boolean {
  let at = 0;
  let wantedAt = 0;
  let star = -1;
  let takenByStar = 0;
  while (at < items.length) {
    const wanted = pattern[wantedAt];
    if (wanted !== undefined && isStar(wanted)) {
      star = wantedAt;
      takenByStar = at;
      wantedAt += 1;
    } else if (wanted !== undefined && isMatch(items[at] ?? "", wanted)) {
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
