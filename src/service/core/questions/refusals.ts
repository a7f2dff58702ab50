// Why a question is not found or answered, and what its caller is told. Pure.

import { notFound, type ProblemsOf } from "../ports/problem.ts";

export type QuestionRefusal =
  | { readonly reason: "question_not_found"; readonly runId: string }
  | { readonly reason: "question_answered"; readonly runId: string };

export const questionProblems: ProblemsOf<QuestionRefusal> = {
  question_not_found: ({ runId }) => notFound(`Run ${runId} did not end with a question.`),
  question_answered: ({ runId }) => ({
    status: 409,
    code: "question_answered",
    message: `The question of run ${runId} is answered: its session has gone on. Submit a run with its session_id to say more.`,
  }),
};
