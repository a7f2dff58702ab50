// Patterns of paths with *, ?, ** and also {a,b} and [a-z]. Braces are expanded, so what is left is a list of patterns without
// them. No regular expressions: no pattern is slow. Pure.
// Why: docs/decisions/138-small-parsers-of-our-own.md

import { matchesSequence } from "./glob.ts";

/** More alternatives than this, and the braces stand for themselves. */
const MAX_ALTERNATIVES = 64;

/** The patterns that one with braces stands for. Braces that are not closed, and those with one alternative, stand for themselves. */
export function expandBraces(pattern: string): readonly string[] {
  let patterns = [{ done: "", rest: pattern }];
  for (;;) {
    const next = patterns.flatMap(({ done, rest }) => expandFirst(done, rest));
    if (next.length > MAX_ALTERNATIVES) return [pattern];
    if (next.every(({ rest }) => rest === "")) return [...new Set(next.map(({ done }) => done))];
    patterns = next;
  }
}

type Partly = { readonly done: string; readonly rest: string };

function expandFirst(done: string, rest: string): Partly[] {
  const open = rest.indexOf("{");
  const group = open < 0 ? null : readGroup(rest, open);
  if (group === null) return [{ done: done + rest, rest: "" }];
  const before = done + rest.slice(0, open);
  const after = rest.slice(group.end + 1);
  if (group.alternatives.length < 2) {
    return [{ done: before + rest.slice(open, group.end + 1), rest: after }];
  }
  // An alternative may hold braces of its own.
  return group.alternatives.map((alternative) => ({ done: before, rest: alternative + after }));
}

function readGroup(text: string, open: number): { end: number; alternatives: readonly string[] } | null {
  const alternatives: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "{") depth += 1;
    if (depth === 1 && (character === "," || character === "}")) {
      alternatives.push(text.slice(start, at));
      start = at + 1;
    }
    if (character !== "}") continue;
    depth -= 1;
    if (depth === 0) return { end: at, alternatives };
  }
  return null;
}

type Symbol =
  | { readonly kind: "star" | "any" }
  | { readonly kind: "one"; readonly test: (symbol: string) => boolean };

/** Whether a path matches any of the patterns, none of which has braces. Brackets also stand for themselves. */
export function pathMatcher(patterns: readonly string[], options: { readonly ignoreCase?: boolean } = {}) {
  const fold = (text: string) => (options.ignoreCase === true ? text.toLowerCase() : text);
  const compiled = patterns.map((pattern) =>
    fold(pattern)
      .split("/")
      .map((literal) => ({ literal, symbols: symbolsOf(literal) })),
  );
  return (path: string): boolean => {
    const items = fold(path)
      .split("/")
      .map((text) => ({ text, characters: [...text] }));
    return compiled.some((pattern) =>
      matchesSequence({
        items,
        pattern,
        isStar: ({ literal }) => literal === "**",
        // A folder may be called `[id]`.
        isMatch: ({ text, characters }, { literal, symbols }) =>
          text === literal || matchesSymbols(characters, symbols),
      }),
    );
  };
}

function matchesSymbols(segment: readonly string[], symbols: readonly Symbol[]): boolean {
  return matchesSequence({
    items: segment,
    pattern: symbols,
    isStar: ({ kind }) => kind === "star",
    isMatch: (symbol, wanted) => wanted.kind === "any" || (wanted.kind === "one" && wanted.test(symbol)),
  });
}

function symbolsOf(segment: string): Symbol[] {
  const characters = [...segment];
  const symbols: Symbol[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const end = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (character === "*") symbols.push({ kind: "star" });
    else if (character === "?") symbols.push({ kind: "any" });
    else if (end > 0) {
      symbols.push({ kind: "one", test: classOf(characters.slice(at + 1, end)) });
      at = end;
    } else symbols.push({ kind: "one", test: (symbol) => symbol === character });
  }
  return symbols;
}

function classOf(characters: readonly string[]): (symbol: string) => boolean {
  const isNegated = characters.length > 1 && (characters[0] === "!" || characters[0] === "^");
  const listed = isNegated ? characters.slice(1) : characters;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < listed.length; at += 1) {
    const from = listed[at] ?? "";
    const to = listed[at + 1] === "-" ? listed[at + 2] : undefined;
    if (to === undefined) ranges.push([from, from]);
    else {
      ranges.push([from, to]);
      at += 2;
    }
  }
  return (symbol) => ranges.some(([from, to]) => from <= symbol && symbol <= to) !== isNegated;
}
