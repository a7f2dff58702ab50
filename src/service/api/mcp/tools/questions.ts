// The tools of questions.

import * as z from "zod/mini";
import { ok } from "../../../../base/result.ts";
import { visibleText } from "../../../../base/untrusted-text.ts";
import { field } from "../../../../contract/field.ts";
import { text } from "../../../../contract/fields.ts";
import { questionListSchema, questionRoutes } from "../../../../contract/questions.ts";
import { answerQuestion } from "../../../core/questions/answer-question.ts";
import { questionHandlers } from "../../http/handlers/approvals.ts";
import { followSubmitted, mayPark, waitSeconds } from "../follow-submitted.ts";
import { runResultSchema } from "../run-result.ts";
import { answer, bodyOf, hasMore, tool } from "../tool.ts";
import { atMost } from "../tool-input.ts";

const MAX_LISTED = 20;
const MAX_QUESTION_CHARS = 600;
const MAX_CHOICES = 10;
const MAX_CHOICE_CHARS = 60;

export const questionTools = [
  tool(questionRoutes.list, {
    name: "list_questions",
    title: "List questions",
    description: "Questions of runs that nobody has answered. Ask the user, then call answer_question.",
    hints: { isReadOnly: true },
    takes: ["agent_id", "limit"],
    fields: {
      agent_id: "Only the questions of this agent: its id, or its name.",
      limit: atMost(MAX_LISTED, MAX_LISTED, "Questions"),
    },
    output: z.object({ questions: questionListSchema, has_more: z.boolean() }),
    run: async (request, { core, submitter }) => {
      const page = await questionHandlers(core, submitter).list(request);
      if (!page.ok) return page;
      const questions = bodyOf(page.value).map((one) => ({
        ...one,
        question: visibleText(one.question).slice(0, MAX_QUESTION_CHARS),
        choices: one.choices
          .slice(0, MAX_CHOICES)
          .map((choice) => visibleText(choice).slice(0, MAX_CHOICE_CHARS)),
      }));
      const said = questions.length === 0 ? "There are no questions." : `${questions.length} questions wait.`;
      const quoted = questions.map(({ run_id, question, choices }) => ({
        label: `What run ${run_id} asked.`,
        text: [question, ...choices.map((choice) => `- ${choice}`)].join("\n").slice(0, MAX_QUESTION_CHARS),
      }));
      return ok({ ...answer({ questions, has_more: hasMore(page.value) }, said), quoted });
    },
  }),
  tool(questionRoutes.answer, {
    name: "answer_question",
    title: "Answer a question",
    description:
      "Answers the question of a run, and waits for the run that goes on as invoke_agent does. The same answer again gives the same run.",
    hints: { isIdempotent: true, isOpenWorld: true },
    scopes: ["runs:write", "runs:read"],
    fields: {
      runID: field(text(255), "The run that asked."),
      answer: "The answer: what the user said, not a guess.",
      asked_at: "That of the question. Left out: the one it asks now.",
    },
    adds: { wait_seconds: waitSeconds },
    output: runResultSchema,
    run: async ({ caller, params, body: { answer, asked_at: askedAt }, own }, context) => {
      const answered = await answerQuestion(context.core, context.submitter, {
        caller,
        runId: params.runID,
        answer,
        askedAt: askedAt === undefined ? null : Date.parse(askedAt),
        mayPark: mayPark(context),
      });
      if (!answered.ok) return answered;
      const { runId } = answered.value;
      return await followSubmitted(context, { runId, waitSeconds: own.wait_seconds });
    },
  }),
];
