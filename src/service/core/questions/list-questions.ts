// GET /v1/questions: the runs of an account's agents that wait for an answer or ended with a question, which nobody has answered.

import type { AccountCaller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import { type RunQuestion, readQuestion } from "./question.ts";

type QuestionPage = {
  readonly questions: readonly RunQuestion[];
  /** The value of `before` for the next page; null on the last page. */
  readonly next: string | null;
};

/** Newest first. A page may have fewer than `limit` where events are not kept any more. */
export async function listQuestions(
  core: Core,
  query: { caller: AccountCaller; agentId: string | null; before: string | null; limit: number },
): Promise<QuestionPage> {
  const { caller, limit, ...filter } = query;
  const { committed } = core.store;
  const found = await committed.runs.listQuestions({
    ...filter,
    accountId: caller.accountId,
    limit: limit + 1,
  });
  const runs = found.slice(0, limit);
  const questions: RunQuestion[] = [];
  for (const run of runs) {
    const question = await readQuestion(committed, run);
    if (question !== null) questions.push(question);
  }
  return { questions, next: found.length > limit ? (runs.at(-1)?.id ?? null) : null };
}
