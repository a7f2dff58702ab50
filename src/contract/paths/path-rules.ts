// Kinds of a repository's paths, by the list of known paths, and the guard of those that an agent's changes never touch on
// their own. Pure.

import { isDotGit } from "../../base/git/dot-git.ts";
import { pathMatcher } from "../../base/path-pattern.ts";
import { type KnownPaths, knownPaths, type PathKind } from "./known-paths.ts";

type NameTest = (name: string) => boolean;

type Rule = {
  readonly is: readonly PathKind[];
  readonly isAnywhere: boolean;
  readonly isFile: boolean;
  readonly names: readonly NameTest[];
  readonly except: readonly NameTest[];
};

const ANYWHERE = "**/";

export class PathRules {
  /** By the last name that they need, in small letters. */
  readonly #literal = new Map<string, Rule[]>();
  /** Those whose last name has a `*`. */
  readonly #others: Rule[] = [];

  constructor(known: readonly KnownPaths[] = knownPaths) {
    for (const { is, paths, except = [], isExact = false, isFile = false } of known) {
      const exceptions = except.map((one) => nameTest(one.slice(ANYWHERE.length), false));
      for (const path of paths) {
        const isAnywhere = path.startsWith(ANYWHERE);
        const names = (isAnywhere ? path.slice(ANYWHERE.length) : path).split("/");
        const tests = names.map((name) => nameTest(name, isExact));
        const rule = { is, isAnywhere, isFile, names: tests, except: exceptions };
        const last = names.at(-1) ?? "";
        if (last.includes("*")) this.#others.push(rule);
        else this.#literal.set(fold(last), [...(this.#literal.get(fold(last)) ?? []), rule]);
      }
    }
  }

  /** The file or folder that the list names and this path is or lies in: `a/.claude` of `a/.claude/hooks/x.sh`. Null: none. */
  placeOf(path: string, ...kinds: readonly PathKind[]): string | null {
    const names = path.split("/");
    for (const at of names.keys()) {
      if (this.#isNamed(names, { at, kinds })) return names.slice(0, at + 1).join("/");
    }
    return null;
  }

  /** Whether the list names the very file or folder at this path. */
  names(path: string, ...kinds: readonly PathKind[]): boolean {
    const names = path.split("/");
    return this.#isNamed(names, { at: names.length - 1, kinds });
  }

  /** Whether it is or lies in one that the list names. */
  is(path: string, ...kinds: readonly PathKind[]): boolean {
    return this.placeOf(path, ...kinds) !== null;
  }

  #isNamed(
    names: readonly string[],
    { at, kinds }: { readonly at: number; readonly kinds: readonly PathKind[] },
  ): boolean {
    const isIt = (rule: Rule): boolean =>
      rule.is.some((kind) => kinds.includes(kind)) && endsAt(rule, names, at);
    return this.#literal.get(fold(names[at] ?? ""))?.some(isIt) === true || this.#others.some(isIt);
  }
}

function endsAt({ isAnywhere, isFile, names, except }: Rule, path: readonly string[], at: number): boolean {
  if (isFile && at + 1 < path.length) return false;
  const from = at + 1 - names.length;
  if (from < 0 || (from > 0 && !isAnywhere)) return false;
  const last = path[at] ?? "";
  // The last name first: of most paths it is another.
  if (names.at(-1)?.(last) !== true || except.some((test) => test(last))) return false;
  return names.every((test, index) => test(path[from + index] ?? ""));
}

function nameTest(name: string, isExact: boolean): NameTest {
  const spell = isExact ? (text: string) => text : fold;
  const [start = "", end, ...more] = spell(name).split("*");
  if (end === undefined) return (other) => spell(other) === start;
  if (more.length > 0) return pathMatcher([name], { ignoreCase: !isExact });
  return (other) => {
    const spelled = spell(other);
    return spelled.length >= start.length + end.length && spelled.startsWith(start) && spelled.endsWith(end);
  };
}

function fold(name: string): string {
  return name.toLowerCase();
}

export type PathGuard = (path: string) => boolean;

const known = new PathRules();

/**
 * Says of a path whether changes of it are held back. `allowed` are paths, or folders with "/", that are not; one that
 * begins with "**" + "/" counts in every folder.
 */
export function protectedPathGuard(allowed: readonly string[] = [], rules: PathRules = known): PathGuard {
  const exempt = allowed.map((path) => path.toLowerCase());
  return (path) => {
    const name = path.toLowerCase();
    // Git's own folder is nobody's to allow.
    if (name.split("/").some(isDotGit)) return true;
    return rules.is(path, "ci", "tool", "agent") && !exempt.some((entry) => covers(entry, name));
  };
}

function covers(entry: string, name: string): boolean {
  if (entry.startsWith("**/")) return `/${name}`.endsWith(entry.slice("**".length));
  return entry.endsWith("/") ? name.startsWith(entry) : name === entry;
}
