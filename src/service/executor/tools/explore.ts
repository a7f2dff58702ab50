// The tool that has a question about the repository answered by another agent, which only reads.

import * as z from "zod/mini";
import { defineTool, type Tool, ToolError } from "./tool.ts";
import { described } from "./tool-input.ts";

const EXPLORE_TOOL = "explore";

const MAX_QUESTION_CHARS = 8_000;

/** `why`: it was not asked, or has no answer. */
export type Explored =
  | { readonly ok: true; readonly answer: string }
  | { readonly ok: false; readonly why: string };

export type Explore = (question: string) => Promise<Explored>;

export function exploreTool(explore: Explore): Tool<{ readonly answer: string }> {
  return defineTool({
    name: EXPLORE_TOOL,
    description:
      "Has another agent read the repository and answer one question, so that you need not read it all: where something is, how it works, who uses it. It can only read, in these files, and knows nothing of this conversation. Several calls in one answer work side by side.",
    input: z.object({
      question: described(
        z.string().check(z.minLength(1), z.maxLength(MAX_QUESTION_CHARS)),
        "The question, with all that the other agent must know.",
      ),
    }),
    async find({ question }) {
      const explored = await explore(question);
      if (!explored.ok) throw new ToolError("failed", explored.why);
      return { answer: explored.answer };
    },
    format: ({ answer }) => answer,
  });
}
