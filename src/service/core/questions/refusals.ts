// Refusals to find or answer a question, and their problems. Pure.

import { conflict, notFound, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

export const questionProblems = {
  question_not_found: ({ runId }: { runId: string }) =>
    notFound(`Run ${runId} waits for no answer, and did not end with a question.`),
  question_answered: ({ runId }: { runId: string }) =>
    conflict(
      "question_answered",
      `The question of run ${runId} is answered: the run, or its session, has gone on. Submit a run with its session_id to say more.`,
    ),
} satisfies ProblemTable;

export type QuestionRefusal = RefusalOf<typeof questionProblems>;
