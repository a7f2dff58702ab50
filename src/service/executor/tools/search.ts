// The tool that finds lines by a regular expression or a literal text in the text files of the tree.

import * as z from "zod/mini";
import type { TextCount, TextMatch, TextQuery } from "../../core/checkouts/checkout.ts";
import { showPath } from "./checkout-path.ts";
import { foreignPatterns, isForeign } from "./foreign-files.ts";
import { findRegexFault } from "./regex-fault.ts";
import { takePage } from "./result-page.ts";
import { openScope, type Scope, scopeInputs } from "./search-scope.ts";
import { defineTool, type ToolContext, ToolError } from "./tool.ts";
import { countInput, described, flagInput, offsetInput } from "./tool-input.ts";
import { whyNothingFound } from "./why-nothing-found.ts";

const MAX_PATTERN_CHARS = 1_000;
const MAX_CONTEXT_LINES = 20;
const MAX_LINE_CHARS = 300;

type SearchResult = {
  /** Of a match; with the lines around it, several. */
  readonly lines: readonly string[];
  readonly offset: number;
  readonly total: number;
  /** False when so much matched that the search was cut short: `total` is then a lower bound. */
  readonly isComplete: boolean;
  readonly noun: "matching lines" | "files";
  /** Matching lines of vendored and generated files, which are left out. */
  readonly leftOut: number;
  /** Null where something was found. */
  readonly nothing: string | null;
};

export const search = defineTool({
  name: "search",
  description:
    "Finds lines by a regular expression (Perl-compatible, line by line) or by a literal text, in text files, new ones too, without those that git ignores. Vendored, generated and lock files are left out unless include_foreign is set. Answers with path:line: text.",
  input: z.object({
    pattern: described(
      z
        .string()
        .check(z.minLength(1), z.maxLength(MAX_PATTERN_CHARS), z.regex(/^[^\n\0]*$/, "must be one line")),
      "The regular expression: \\bgetUser\\(, class\\s+\\w+, error|warning.",
    ),
    literal: flagInput("The pattern is no regular expression: every character stands for itself."),
    ignore_case: flagInput("Capitals and small letters are the same."),
    whole_word: flagInput("Only matches that begin and end at the bounds of a word."),
    ...scopeInputs,
    context: described(
      z._default(z.int().check(z.minimum(0), z.maximum(MAX_CONTEXT_LINES)), 0),
      `How many lines to show before and after each match. At most ${MAX_CONTEXT_LINES}.`,
    ),
    output: described(
      z._default(z.enum(["lines", "files", "counts"]), "lines"),
      "lines: each matching line. files: the paths alone. counts: how many lines match in each file, the most first.",
    ),
    include_foreign: flagInput("Search vendored, generated and lock files too."),
    offset: offsetInput("The first match to show."),
    limit: countInput({ max: 1_000, fallback: 100, description: "How many matches to show." }),
  }),
  async find(input, { checkout, signal }): Promise<SearchResult> {
    const { pattern, literal } = input;
    const fault = literal ? null : findRegexFault(pattern);
    if (fault !== null) {
      const message = `The pattern is no valid regular expression: at character ${fault.position} there is ${fault.why}. Escape it with a backslash, or set literal for a text that stands for itself.`;
      throw new ToolError("invalid_input", message);
    }
    const scope = await openScope(checkout, input);
    const query = {
      pattern,
      isRegex: !literal,
      wholeWord: input.whole_word,
      ignoreCase: input.ignore_case,
      path: scope.path,
      globs: scope.globs,
      leaveOut: [],
    };
    const wanted = { ...input, query, scope };
    const found = await (input.output === "lines" ? findLines : findFiles)(wanted, checkout);
    const isNothing = found.total === 0;
    return {
      ...found,
      offset: input.offset,
      nothing: isNothing
        ? await whyNothingFound({ checkout, signal, query, scope, leftOut: found.leftOut })
        : null,
    };
  },
  format: ({ lines, offset, total, isComplete, noun, leftOut, nothing }) => {
    if (nothing !== null) return `[nothing found: ${nothing}]`;
    const hidden = `${leftOut} more lines match in vendored or generated files: include_foreign shows them`;
    const page = { offset, total, isCounted: isComplete, noun };
    return takePage(lines, leftOut === 0 ? page : { ...page, always: hidden });
  },
});

type Wanted = {
  readonly query: TextQuery;
  readonly scope: Scope;
  readonly output: "lines" | "files" | "counts";
  readonly context: number;
  readonly include_foreign: boolean;
  readonly offset: number;
  readonly limit: number;
};
type Checkout = ToolContext["checkout"];
type Found = Omit<SearchResult, "offset" | "nothing">;

async function findLines(wanted: Wanted, checkout: Checkout): Promise<Found> {
  const { query, context, offset, limit } = wanted;
  const isKept = keptTest(wanted);
  let found = await checkout.findText(query, context);
  if (!found.complete && found.matches.some(({ path }) => !isKept(path))) {
    found = await checkout.findText({ ...query, leaveOut: foreignPatterns }, context);
  }
  const groups = groupsOf(found.matches.filter(({ path }) => isKept(path)));
  const leftOut = found.matches.filter(({ path, column }) => column !== null && !isKept(path)).length;
  const shown = groups.slice(offset - 1, offset - 1 + limit);
  return {
    lines: shown.map((group, at) =>
      describeGroup(group, { hasGap: context > 0 && isApart(shown[at - 1], group) }),
    ),
    total: groups.length,
    isComplete: found.complete,
    noun: "matching lines",
    leftOut,
  };
}

async function findFiles(wanted: Wanted, checkout: Checkout): Promise<Found> {
  const { query, output, offset, limit } = wanted;
  const isKept = keptTest(wanted);
  const { counts, complete } = await checkout.countText(query);
  const kept = counts.filter(({ path }) => isKept(path));
  const ordered = output === "files" ? kept : kept.toSorted((a, b) => b.lines - a.lines);
  return {
    lines: ordered
      .slice(offset - 1, offset - 1 + limit)
      .map(({ path, lines }) => (output === "files" ? showPath(path) : `${showPath(path)}: ${lines}`)),
    total: kept.length,
    isComplete: complete,
    noun: "files",
    leftOut: linesOf(counts) - linesOf(kept),
  };
}

/** A file that was named is searched whatever it is. */
function keptTest({ include_foreign, scope }: Wanted): (path: string) => boolean {
  if (include_foreign || scope.kind === "file" || isForeign(`${scope.path}/`)) return () => true;
  const known = new Map<string, boolean>();
  return (path) => {
    const isKept = known.get(path) ?? !isForeign(path);
    known.set(path, isKept);
    return isKept;
  };
}

function linesOf(counts: readonly TextCount[]): number {
  return counts.reduce((sum, { lines }) => sum + lines, 0);
}

/** A line that matches, with the lines before it and those behind the last. */
type Group = readonly TextMatch[];

function groupsOf(matches: readonly TextMatch[]): Group[] {
  const groups: TextMatch[][] = [];
  let isOpen = false;
  for (const match of matches) {
    const last = groups.at(-1)?.at(-1);
    const follows = last !== undefined && last.path === match.path && last.line + 1 === match.line;
    const group = groups.at(-1);
    // Lines behind a match are shown with it, up to the next that matches.
    if (group !== undefined && follows && (match.column === null || !isOpen)) group.push(match);
    else groups.push([match]);
    isOpen = match.column !== null || (isOpen && follows);
  }
  return groups;
}

function isApart(before: Group | undefined, group: Group): boolean {
  const last = before?.at(-1);
  const first = group[0];
  return last !== undefined && (last.path !== first?.path || last.line + 1 !== first.line);
}

function describeGroup(group: Group, { hasGap }: { readonly hasGap: boolean }): string {
  const lines = group.map(({ path, line, column, text }) =>
    column === null ? `${showPath(path)}-${line}- ${clip(text)}` : `${showPath(path)}:${line}: ${clip(text)}`,
  );
  return (hasGap ? ["--", ...lines] : lines).join("\n");
}

function clip(line: string): string {
  const text = line.trimEnd().replaceAll("\0", "\ufffd");
  return text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)}…` : text;
}
