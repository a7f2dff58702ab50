// The routes of questions. Pure.

import { submittedHeaders } from "../headers.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../route.ts";
import { submitRunResponseSchema } from "../runs/run.ts";
import { answerQuestionRequestSchema, listQuestionsQuerySchema, questionListSchema } from "./question.ts";

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
    query: query(listQuestionsQuerySchema, {
      agent_id: "Only those of this agent.",
      before: "The id of the run that the page comes after.",
      limit: "Questions at most.",
    }),
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
