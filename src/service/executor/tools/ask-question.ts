// The tool by which an agent ends its run with a question to the people who asked for it.

import * as z from "zod/mini";
import { defineTool, type Tool } from "./tool.ts";

const MAX_QUESTION_CHARS = 2_000;
const MAX_CHOICES = 6;
export const MAX_CHOICE_CHARS = 200;

export type AskedQuestion = { readonly question: string; readonly choices: readonly string[] };

/** `take` keeps the question until the turn is over. The last one counts. */
export function askQuestionTool(take: (asked: AskedQuestion) => void): Tool<string> {
  const choice = z
    .string()
    .check(z.minLength(1), z.maxLength(MAX_CHOICE_CHARS), z.describe("One possible answer, in a few words."));
  return defineTool({
    name: "ask_question",
    description:
      "Ends this run with a question. People see it, and their answer is the next message of this session. Only for a request that can be meant in ways that lead to different work, where nothing in the repository tells which. Your changes so far are kept for the answer.",
    input: z.object({
      question: z
        .string()
        .check(
          z.minLength(1),
          z.maxLength(MAX_QUESTION_CHARS),
          z.describe("The question, with what somebody needs to know to answer it. Markdown."),
        ),
      choices: z.optional(
        z
          .array(choice)
          .check(z.maxLength(MAX_CHOICES), z.describe("Answers to choose from, the best one first.")),
      ),
    }),
    async find({ question, choices = [] }) {
      take({ question, choices });
      return "The run ends now, and the question is shown.";
    },
    format: (text) => text,
  });
}
