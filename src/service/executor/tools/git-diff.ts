// The tool that shows changes as a diff: of the working tree, against the base, or between two commits.

import * as z from "zod/mini";
import type { Checkout, GitText } from "../../core/checkouts/checkout.ts";
import { commitOf, pathsInput, pathsOf, revisionInput } from "./git-revision.ts";
import { takePage } from "./result-page.ts";
import { defineTool, ToolError } from "./tool.ts";
import { countInput, described, offsetInput } from "./tool-input.ts";

export type TextPage = {
  readonly about: string;
  readonly lines: readonly string[];
  readonly offset: number;
  readonly total: number;
  readonly isWhole: boolean;
};

export const NO_BASE =
  "[no base to compare with: nothing is under review in this run, or the checkout does not have the base of it. Where the request is " +
  "about a change, say first that it cannot be seen, and that actions/checkout takes fetch-depth: 0]";

export const gitDiff = defineTool({
  name: "git_diff",
  description:
    "Shows a unified diff: what the commit under review changes against its base, what you changed in the working tree, new files included, or the difference of two commits. git_changes lists the files alone.",
  input: z.object({
    of: described(
      z.optional(z.enum(["base", "working_tree"])),
      "base: the commit that was checked out against its base. working_tree: the files now against that commit. Default: the working tree where it was changed, else base.",
    ),
    from: revisionInput(
      "The older commit, where two are compared. With from alone it is compared with HEAD.",
    ),
    to: revisionInput("The newer commit. With to alone its first parent is the older one."),
    paths: pathsInput,
    offset: offsetInput("The first line of the diff to show."),
    limit: countInput({ max: 3_000, fallback: 1_000, description: "How many lines to show." }),
  }),
  async find(input, { checkout }): Promise<TextPage> {
    const paths = await pathsOf(checkout, input.paths);
    const { about, text, complete } = await diffOf({ ...input, paths }, checkout);
    return pageOf({ about, text, complete }, input);
  },
  format: formatTextPage,
});

/** The lines of a page. */
export function pageOf(
  { about, text, complete }: GitText & { readonly about: string },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): TextPage {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  return { about, lines: shown, offset, total: lines.length, isWhole: complete };
}

export function formatTextPage({ about, lines, offset, total, isWhole }: TextPage): string {
  if (total === 0) return `[${about}: no difference]`;
  // A stream of events has no place for NUL.
  const visible = lines.map((line) => clip(line.replaceAll("\0", "\ufffd").replace(/\r$/, "")));
  return `[${about}]\n${takePage(visible, { offset, total, isCounted: isWhole, noun: "lines" })}`;
}

const MAX_LINE_CHARS = 2_000;

function clip(line: string): string {
  return line.length > MAX_LINE_CHARS
    ? `${line.slice(0, MAX_LINE_CHARS)}… [cut: the line has ${line.length} characters]`
    : line;
}

type Wanted = {
  readonly of?: "base" | "working_tree" | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly paths: readonly string[];
};

async function diffOf(wanted: Wanted, checkout: Checkout): Promise<GitText & { readonly about: string }> {
  const { of, from, to, paths } = wanted;
  if (from !== undefined || to !== undefined) return await betweenCommits(wanted, checkout);
  if (of !== "base") {
    const working = await checkout.history.workingDiff(paths);
    const about = `working tree against ${checkout.headSha.slice(0, 12)}, the commit that was checked out`;
    if (of === "working_tree" || working.text !== "") return { about, ...working };
  }
  const change = await checkout.diffSinceBase(paths);
  if (change !== null) {
    const { baseSha, text, isWhole } = change;
    const about = `${checkout.headSha.slice(0, 12)} against its base ${baseSha.slice(0, 12)}`;
    return { about, text, complete: isWhole };
  }
  if (of === "base") throw new ToolError("not_found", NO_BASE.slice(1, -1));
  return { about: "working tree as it was checked out", text: "", complete: true };
}

async function betweenCommits(
  { from, to, paths }: Wanted,
  checkout: Checkout,
): Promise<GitText & { readonly about: string }> {
  const newer = await commitOf(checkout, to ?? "HEAD");
  const older = from === undefined ? await commitOf(checkout, `${newer}^1`) : await commitOf(checkout, from);
  const diff = await checkout.history.diff({ from: older, to: newer }, paths);
  return { about: `${newer.slice(0, 12)} against ${older.slice(0, 12)}`, ...diff };
}
