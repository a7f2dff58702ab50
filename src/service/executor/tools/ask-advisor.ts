// The tool that sends a question to the advisor, a stronger model.

import * as z from "zod/mini";
import { defineTool, type Tool } from "./tool.ts";
import { described } from "./tool-input.ts";

const MAX_QUESTION_CHARS = 8_000;

/** `ask` resolves with text, also for a refusal. */
export function askAdvisorTool(ask: (question: string) => Promise<string>): Tool<string> {
  return defineTool({
    name: "ask_advisor",
    description:
      "Asks a stronger model, which sees the end of this conversation. For what is hard to decide; it costs more.",
    input: z.object({
      question: described(
        z.string().check(z.minLength(1), z.maxLength(MAX_QUESTION_CHARS)),
        "What to decide, with what is known of it.",
      ),
    }),
    find: ({ question }): Promise<string> => ask(question),
    format: (answer) => (answer === "" ? "[no answer]" : answer),
  });
}
