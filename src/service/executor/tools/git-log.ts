// The tool that lists commits.

import * as z from "zod/mini";
import type { Commit } from "../../core/checkouts/checkout.ts";
import { commitOf, pathsInput, pathsOf, revisionInput } from "./git-revision.ts";
import { takePage } from "./result-page.ts";
import { defineTool } from "./tool.ts";
import { countInput, offsetInput } from "./tool-input.ts";

export const gitLog = defineTool({
  name: "git_log",
  description:
    "Lists commits, the newest first: name, day, author, subject. The history may be shallow: then its oldest commits are missing.",
  input: z.object({
    paths: pathsInput,
    from: revisionInput("Leave out this commit and all before it. base: what is new since the base."),
    to: revisionInput("Begin with this commit. Default: HEAD."),
    offset: offsetInput("The first commit to list."),
    limit: countInput({ max: 200, fallback: 20, description: "How many commits to list." }),
  }),
  async find({ paths, from, to, offset, limit }, { checkout }): Promise<readonly Commit[]> {
    return await checkout.recentCommits(limit, {
      skip: offset - 1,
      from: from === undefined ? null : await commitOf(checkout, from),
      to: to === undefined ? null : await commitOf(checkout, to),
      paths: await pathsOf(checkout, paths),
    });
  },
  format: (commits) => {
    const lines = commits.map(
      ({ sha, at, author, subject }) => `${sha.slice(0, 12)} ${utcDay(at)} ${author}: ${subject}`,
    );
    return lines.length === 0
      ? "[no commits in reach]"
      : takePage(lines, { offset: 1, total: lines.length, noun: "commits" });
  },
});

/** `2024-01-31`, or "unknown" for a date that no calendar has. */
export function utcDay(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "unknown" : (date.toISOString().split("T")[0] ?? "unknown");
}
