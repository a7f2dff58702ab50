// The sets of tools that a client of MCP can have listed. Pure.
// Why: docs/decisions/125-tools-are-listed-in-sets.md

/** In the order in which they are listed. */
export const toolSets = ["agents", "forks", "workspaces", "changesets", "workers"] as const;
export type ToolSet = (typeof toolSets)[number];

/** The purpose of each set, as a client's model reads it. */
export const toolSetTexts: Readonly<Record<ToolSet, string>> = {
  agents: "agents, their runs, schedules and workflows, questions, approvals, credits",
  forks: "runs that begin at a turn of another one",
  workspaces: "their files, copies and revisions",
  changesets: "proposals to a workspace, and their review",
  workers: "runs in copies of a workspace, in groups with one budget",
};

/** The parameter of the address, and the header, that name sets: "agents,workers", "all", "default". */
export const SETS_PARAMETER = "sets";
export const SETS_HEADER = "X-MCP-Toolsets";
