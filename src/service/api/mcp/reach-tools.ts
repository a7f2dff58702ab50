// describe_tools and call_tool: every tool is one step away for clients that call listed tools only.

import type { Tool as ToolListing } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { nearestName } from "../../../base/nearest-name.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { field, strictObject } from "../../../contract/field.ts";
import { text } from "../../../contract/fields.ts";
import { toolSets, toolSetTexts } from "../../../contract/tool-sets.ts";
import { invalidRequest, type PublicProblem } from "../../core/ports/problem.ts";
import { decode } from "../shared/decode.ts";
import type { ToolCallParams } from "./surface.ts";
import { answer, listingOf, type McpTool, ownTool } from "./tool.ts";
import { tools, toolsOfSets } from "./tool-table.ts";

export const CALL_TOOL = "call_tool";

const anyObject = z.record(z.string(), z.unknown());

const describedSchema = z.object({
  name: z.string(),
  description: z.string(),
  /** Whether it changes nothing. */
  only_reads: z.boolean(),
  /** The JSON Schema of what it takes. */
  arguments: anyObject,
});
type Described = z.infer<typeof describedSchema>;

export const describeTools = ownTool({
  name: "describe_tools",
  role: "viewer",
  title: "Describe more tools",
  description: "The tools of a set that are not listed here, and what each takes. Call them by call_tool.",
  hints: { isReadOnly: true },
  scopes: [],
  takes: { set: field(z.enum(toolSets), toolSets.map((set) => `${set}: ${toolSetTexts[set]}`).join(". ")) },
  output: z.object({ set: z.enum(toolSets), tools: z.array(describedSchema) }),
  run: async ({ set }) => {
    // Whole in the text and in the structured content: a client shows its model either.
    const described = toolsOfSets[set].map(({ listing }) => toDescribed(listing));
    return ok(answer({ set, tools: described }, described.map(describe).join("\n\n")));
  },
});

const callToolInput = strictObject({
  name: field(text(128), "The tool's name."),
  arguments: field(z._default(anyObject, {}), "Its arguments, as describe_tools says."),
});

/** Never executed itself: the tool that it names is, as if it had been called by its name. */
export const callToolListing: ToolListing = listingOf({
  name: CALL_TOOL,
  title: "Call a tool that is not listed",
  description: "Calls any tool of this server by its name. Ask describe_tools first what it takes.",
  // As the most that a tool may do.
  hints: { isDestructive: true, isOpenWorld: true },
  input: callToolInput,
});

const byName = new Map<string, McpTool>([...tools, describeTools].map((tool) => [tool.listing.name, tool]));

export function findTool(name: string): McpTool | undefined {
  return byName.get(name);
}

/** The call that the arguments of call_tool stand for. */
export function innerCall(args: unknown): Result<ToolCallParams & { readonly tool: McpTool }, PublicProblem> {
  const decoded = decode(callToolInput, args, "The arguments");
  if (!decoded.ok) return decoded;
  const { name, arguments: inner } = decoded.value;
  const tool = findTool(name);
  return tool === undefined ? refused(invalidRequest(unknownTool(name))) : ok({ name, args: inner, tool });
}

export function unknownTool(name: string): string {
  const nearest = nearestName(name, [...byName.keys(), CALL_TOOL]);
  const advice = nearest === null ? "describe_tools names those of a set." : `Did you mean "${nearest}"?`;
  return `There is no tool ${JSON.stringify(name.slice(0, 128))}. ${advice}`;
}

function toDescribed({ name, description = "", annotations, inputSchema }: ToolListing): Described {
  return { name, description, only_reads: annotations?.readOnlyHint === true, arguments: inputSchema };
}

function describe({ name, description, only_reads, arguments: taken }: Described): string {
  const kind = only_reads ? " (only reads)" : "";
  return `${name}${kind}: ${description}\nArguments: ${JSON.stringify(taken)}`;
}
