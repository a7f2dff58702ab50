// A run that ended with a question to people. The answer is the next message of its session. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { text, wholeNumber } from "../fields.ts";

export const MAX_ANSWER_CHARS = 100_000;

export const questionSchema = z.object({
  run_id: z.string(),
  agent_id: z.uuid(),
  session_id: z.uuid(),
  question: z.string(),
  choices: z.array(z.string()),
  asked_at: z.iso.datetime(),
});
export type Question = z.infer<typeof questionSchema>;

export const questionListSchema = z.array(questionSchema);

export const listQuestionsQuerySchema = strictObject({
  agent_id: z.optional(z.uuid()),
  before: z.optional(z.uuid()),
  limit: wholeNumber({ min: 1, max: 100, fallback: 50 }),
});

export const answerQuestionRequestSchema = strictObject({ answer: text(MAX_ANSWER_CHARS) });
export type AnswerQuestionRequest = z.infer<typeof answerQuestionRequestSchema>;
