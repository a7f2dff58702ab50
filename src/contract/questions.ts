// A run that asks people a question. A parked one goes on with the answer; otherwise it is the next message of its session. Pure.

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
  session_id: field(z.uuid(), "Its session. Where the run has ended, the answer is the next message there."),
  question: field(z.string(), "The question, in Markdown. The agent wrote it."),
  choices: field(z.array(z.string()), "Answers to choose from; any other is as good."),
  asked_at: field(z.iso.datetime(), "When the run was parked, or ended."),
});
/** A question that a run asked and nobody has answered. */
export type Question = z.infer<typeof questionSchema>;

export const questionListSchema = z.array(questionSchema);

export const listQuestionsQuerySchema = strictObject({
  agent_id: field(z.optional(z.uuid()), "Only those of this agent."),
  before: field(z.optional(z.uuid()), "The id of the run that the page comes after."),
  limit: field(wholeNumber({ min: 1, max: 100, fallback: 50 }), "Questions at most."),
});

export const answerQuestionRequestSchema = strictObject({
  answer: field(text(MAX_ANSWER_CHARS), "What the parked run goes on with, or the message of the next run."),
  asked_at: field(
    z.optional(z.iso.datetime()),
    "Which question it answers, by its `asked_at`: a run that goes on may ask another one. Left out: the one that it asks now.",
  ),
});
/** The body of `questions.answer`. With `asked_at` it answers that question alone. */
export type AnswerQuestionRequest = z.infer<typeof answerQuestionRequestSchema>;

export const questionComponents: Components = {
  Question: component(questionSchema, "A run that waits for an answer, or ended with a question."),
  QuestionList: component(questionListSchema, "Questions, newest first."),
  AnswerQuestionRequest: component(answerQuestionRequestSchema, "An answer."),
};

const MAX_BODY_BYTES = 512 * 1024;

export const questionRoutes = nounRoutes("questions", "Approvals", {
  list: defineRoute("GET /v1/questions", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: questionListSchema,
    summary: "List the questions of runs that nobody has answered, newest first",
    scopes: ["runs:read"],
    description:
      "A run asks a question instead of guessing. One that may be parked waits for the answer, any other ends. It is answered once the run goes on, or its session has a later run.",
    query: query(listQuestionsQuerySchema),
    answers: { 200: { description: "A page of questions.", headers: ["Link"] } },
  }),
  answer: defineRoute("POST /v1/questions/{runID}/answer", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: submitRunResponseSchema,
    summary: "Answer a question: its run goes on",
    scopes: ["runs:write"],
    description:
      "A parked run goes on with the answer. One that ended is followed by the next run of its session. An AI client may answer, too. 409 when it was answered, or its session has gone on since. The same answer again within 24 hours gives the same run.",
    body: jsonBody(answerQuestionRequestSchema, MAX_BODY_BYTES),
    answers: {
      202: {
        description: "The run goes on, or the next one is queued.",
        headers: [...submittedHeaders, "X-Svc-Idempotent-Replay"],
      },
    },
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
