// A run that ended with a question to people. The answer is the next message of its session. Pure.

import * as z from "zod/mini";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object, strictObject } from "./field.ts";
import { text, wholeNumber } from "./fields.ts";
import { submittedHeaders } from "./headers.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "./route.ts";
import { submitRunResponseSchema } from "./runs/run.ts";
import { AGENT_ID, RUN_ID, THREAD_ID } from "./story.ts";

export const MAX_ANSWER_CHARS = 100_000;

export const questionSchema = object({
  run_id: field(z.string(), "The run that asked."),
  agent_id: field(z.uuid(), "Its agent."),
  session_id: field(z.uuid(), "The session in which the answer is the next message."),
  question: field(z.string(), "The question, in Markdown. The agent wrote it."),
  choices: field(z.array(z.string()), "Answers to choose from; any other is as good."),
  asked_at: field(z.iso.datetime(), "When the run ended."),
});
export type Question = z.infer<typeof questionSchema>;

export const questionListSchema = z.array(questionSchema);

export const listQuestionsQuerySchema = strictObject({
  agent_id: field(z.optional(z.uuid()), "Only those of this agent."),
  before: field(z.optional(z.uuid()), "The id of the run that the page comes after."),
  limit: field(wholeNumber({ min: 1, max: 100, fallback: 50 }), "Questions at most."),
});

export const answerQuestionRequestSchema = strictObject({
  answer: field(text(MAX_ANSWER_CHARS), "The message of the next run."),
});
export type AnswerQuestionRequest = z.infer<typeof answerQuestionRequestSchema>;

export const questionComponents: Components = {
  Question: component(questionSchema, "A run that ended with a question."),
  QuestionList: component(questionListSchema, "Questions, newest first."),
  AnswerQuestionRequest: component(answerQuestionRequestSchema, "An answer."),
};

const MAX_BODY_BYTES = 512 * 1024;

export const questionRoutes = nounRoutes("questions", "Approvals", {
  list: defineRoute("GET /v1/questions", {
    callers: accounts,
    repeat: "safe",
    answer: questionListSchema,
    summary: "List the questions of runs that nobody has answered, newest first",
    scopes: ["runs:read"],
    description:
      "A run may end with a question instead of a guess. It is answered once its session has a later run.",
    query: query(listQuestionsQuerySchema),
    answers: { 200: { description: "A page of questions.", headers: ["Link"] } },
  }),
  answer: defineRoute("POST /v1/questions/{runID}/answer", {
    callers: accounts,
    repeat: "safe",
    answer: submitRunResponseSchema,
    summary: "Answer a question: the next run of its session",
    scopes: ["runs:write"],
    description:
      "An AI client may answer, too. 409 when the session has gone on since. The same answer again within 24 hours gives the same run.",
    body: jsonBody(answerQuestionRequestSchema, MAX_BODY_BYTES),
    answers: { 202: { description: "Queued.", headers: [...submittedHeaders, "X-Svc-Idempotent-Replay"] } },
    refusals: [402, 409],
  }),
});

export const questionExamples: ExamplesOf<typeof questionRoutes> = {
  list: {
    answers: {
      200: {
        questionList: {
          summary: "One question",
          value: [
            {
              run_id: RUN_ID,
              agent_id: AGENT_ID,
              session_id: THREAD_ID,
              question: "Which of the two parsers is to stay?",
              choices: ["The new one", "The old one"],
              asked_at: "2026-03-09T10:05:00.000Z",
            },
          ],
        },
      },
    },
  },
  answer: {
    body: { answerQuestion: { summary: "An answer", value: { answer: "The new one" } } },
    answers: {
      202: { questionAnswered: { summary: "Queued", value: { run_id: RUN_ID, session_id: THREAD_ID } } },
    },
  },
};
