// The clauses of a query that can be left out without making it another kind of statement. Pure.

/** A clause: where it is in the text. */
export type Clause = { readonly name: string; readonly start: number; readonly end: number };

const BEGINS =
  /\b(?<name>and|or|where|having|order by|limit|offset|for (?:no key )?(?:update|share)|skip locked|on conflict)\b/giy;
/** Where any clause ends. A condition also ends at the next one. */
const ENDS =
  /\b(?:where|group by|having|order by|limit|offset|for (?:no key )?(?:update|share)|skip locked|returning|union|on conflict|then|else|end)\b/iy;
const CONDITIONS: ReadonlySet<string> = new Set(["and", "or"]);
const NEXT_CONDITION = /\b(?:and|or)\b/iy;

/**
 * The clauses of a query's template, backticks included. What is in `${…}`, in quotes or in deeper parentheses belongs to the
 * clause around it; clauses within parentheses are found too. The "and" of a "between" is left alone.
 */
export function findClauses(template: string): readonly Clause[] {
  const found: Clause[] = [];
  for (let at = 0; at < template.length; at = skip(template, at)) {
    const name = matchAt(BEGINS, template, at)?.groups?.name?.toLowerCase();
    if (name === undefined || isOfBetween(template, at, name)) continue;
    const end = endOf(template, at + name.length, CONDITIONS.has(name));
    found.push({ name, start: at, end });
  }
  return found;
}

/** The offset of the closing parenthesis, of the next clause, or of the template's end. */
function endOf(template: string, from: number, isCondition: boolean): number {
  let depth = 0;
  let isBetween = false;
  for (let at = from; at < template.length; at = skip(template, at)) {
    const char = template[at];
    if (char === "`") return at;
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (depth < 0) return at;
    if (depth > 0) continue;
    if (matchAt(/\bbetween\b/iy, template, at) !== null) isBetween = true;
    if (matchAt(ENDS, template, at) !== null) return at;
    if (!isCondition || matchAt(NEXT_CONDITION, template, at) === null) continue;
    if (!isBetween) return at;
    isBetween = false;
  }
  return template.length;
}

function isOfBetween(template: string, at: number, name: string): boolean {
  return name === "and" && /\bbetween\s+(?:\$\{[^}]*\}|\S+)\s+$/i.test(template.slice(0, at));
}

/** The next offset to look at: what is in quotes, or a value, is passed at once. */
function skip(template: string, at: number): number {
  const whole = matchAt(/\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}|'[^']*'|"[^"]*"|\w+/y, template, at);
  return at + Math.max(1, whole?.[0].length ?? 1);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
