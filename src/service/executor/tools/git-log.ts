// The tool that lists the newest commits.

import * as z from "zod/mini";
import type { Commit } from "../../core/ports/checkout.ts";
import { countInput, defineTool } from "./tool.ts";

export const gitLog = defineTool({
  name: "git_log",
  description: "Lists the newest commits: name, day, author, subject. The history is shallow.",
  input: z.object({ limit: countInput({ max: 100, fallback: 20 }) }),
  find: ({ limit }, { checkout }): Promise<readonly Commit[]> => checkout.recentCommits(limit),
  format: (commits) =>
    commits
      .map(({ sha, at, author, subject }) => `${sha.slice(0, 12)} ${utcDay(at)} ${author}: ${subject}`)
      .join("\n") || "[no commits in reach]",
});

/** `2024-01-31`, or "unknown" for a date that no calendar has. */
export function utcDay(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "unknown" : (date.toISOString().split("T")[0] ?? "unknown");
}
