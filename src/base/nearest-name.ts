// The known name that a misspelled one was meant for. Pure.

/** Typing errors: a letter too many, too few, another one, two swapped. Short names look like each other, so one in four letters. */
const MAX_EDITS = 2;

/** The known name that a misspelled one is most like. Null where none looks like it. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const wanted = spelling(name);
  const allowed = Math.min(MAX_EDITS, Math.floor(wanted.length / 4));
  let nearest: string | null = null;
  let least = allowed + 1;
  for (const one of known) {
    const edits = editsBetween(wanted, spelling(one), least);
    if (edits >= least) continue;
    least = edits;
    nearest = one;
  }
  return nearest;
}

function spelling(name: string): string {
  return name.replace(/[\s_-]/g, "").slice(0, 100);
}

/** Insertions, removals, replacements and swaps of neighbours (Damerau and Levenshtein); `most` where there are more. */
function editsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) >= most) return most;
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const replaced = (above[column - 1] ?? 0) + (isSame ? 0 : 1);
      const isSwap =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = isSwap ? (before[column - 2] ?? 0) + 1 : most;
      line.push(Math.min((above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1, replaced, swapped));
    }
    before = above;
    above = line;
  }
  return Math.min(most, above[other.length] ?? most);
}
