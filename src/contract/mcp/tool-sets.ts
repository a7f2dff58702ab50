// The sets of tools that a client of MCP can have listed, and the two tools by which it reaches those that are not. Pure.
// Why: docs/decisions/125-tools-are-listed-in-sets.md

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { text } from "../fields.ts";
import { toolSchema } from "./tool-schema.ts";

/** In the order in which they are listed. */
export const toolSets = ["agents", "workspaces", "changesets", "workers"] as const;
export type ToolSet = (typeof toolSets)[number];

/** What each set is for, as a client's model reads it. */
export const toolSetTexts: Readonly<Record<ToolSet, string>> = {
  agents: "agents, their runs, schedules and workflows, questions, approvals, credits",
  workspaces: "workspaces, their files, copies and revisions",
  changesets: "what is proposed to a workspace: make, read, accept or reject it",
  workers: "runs that work in copies of a workspace, in groups with one budget",
};

/** The parameter of the address, and the header, that name sets: "agents,workers", "all", "default". */
export const SETS_PARAMETER = "sets";
export const SETS_HEADER = "X-MCP-Toolsets";

export const describeToolsTool = {
  input: toolSchema(
    strictObject({
      set: field(z.enum(toolSets), toolSets.map((set) => `${set}: ${toolSetTexts[set]}`).join(". ")),
    }),
  ),
  output: toolSchema(
    object({
      set: field(z.enum(toolSets), "The set."),
      tools: field(
        z.array(
          object({
            name: field(z.string(), "The tool's name."),
            description: field(z.string(), "What it does."),
            only_reads: field(z.boolean(), "Whether it changes nothing."),
            arguments: field(z.record(z.string(), z.unknown()), "The JSON Schema of what it takes."),
          }),
        ),
        "Its tools.",
      ),
    }),
  ),
} as const;

export const callToolTool = {
  input: toolSchema(
    strictObject({
      name: field(text(128), "The tool's name."),
      arguments: field(
        z._default(z.record(z.string(), z.unknown()), {}),
        "Its arguments, as describe_tools says.",
      ),
    }),
  ),
} as const;
