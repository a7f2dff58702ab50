// Inputs that the step was given and does not have. Pure.
// Why: docs/decisions/033-undeclared-inputs.md

const PREFIX = "INPUT_";
/** Typing errors: a letter too many, too few, another one, two swapped. Short names look like each other, so one in four letters. */
const MAX_EDITS = 2;

/** The names of the inputs that the runner passed, in lower case. A given input without a value has a name too. */
export function givenInputs(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.toUpperCase().startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length).toLowerCase());
}

/** One line for each given name that is not declared, with the nearest that is. */
export function faultsOfNames(given: readonly string[], declared: readonly string[]): string[] {
  return given.flatMap((name) => {
    if (declared.includes(name)) return [];
    const nearest = nearestName(name, declared);
    // An environment variable has no hyphen: such a name comes from "with:".
    if (nearest === null && !name.includes("-")) return [];
    const advice =
      nearest === null ? "Remove it: action.yml lists the inputs." : `Did you mean "${nearest}"?`;
    return [`Input "${name}" does not exist. ${advice}`];
  });
}

/** Null where no declared name looks like it. */
function nearestName(name: string, declared: readonly string[]): string | null {
  const wanted = spelling(name);
  const allowed = Math.min(MAX_EDITS, Math.floor(wanted.length / 4));
  let nearest: string | null = null;
  let least = allowed + 1;
  for (const known of declared) {
    const edits = editsBetween(wanted, spelling(known), least);
    if (edits >= least) continue;
    least = edits;
    nearest = known;
  }
  return nearest;
}

function spelling(name: string): string {
  return name.replace(/[\s_-]+/g, "").slice(0, 100);
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
