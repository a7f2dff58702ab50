// POST /v1/questions/{runID}/answer: the answer is the next message of the question's session.

import { type Result, refused } from "../../../base/result.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import { findRun } from "../runs/read-run.ts";
import type { RunRefusal, SubmitRefusal } from "../runs/refusals.ts";
import type { Submitted } from "../runs/submission.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import type { QuestionRefusal } from "./refusals.ts";

/** Somebody has continued the session meanwhile: nothing is submitted. */
class AnsweredMeanwhileError extends Error {}

/**
 * Submits the answer as a run of the same session, which may ask again. A session that went on since is refused. The same
 * answer again within 24 hours gives the run of the first.
 */
export async function answerQuestion(
  core: Core,
  submitter: RunSubmitter,
  request: { caller: AccountCaller; runId: string; answer: string },
): Promise<Result<Submitted, QuestionRefusal | RunRefusal | SubmitRefusal>> {
  const { caller, runId, answer } = request;
  const found = await findRun(core, { caller, runId });
  if (!found.ok) return found;
  const { stopReason, sessionId, agentId } = found.value;
  if (stopReason !== "question") return refused({ reason: "question_not_found", runId });
  try {
    const submitted = await submitter.submit({
      caller,
      agentId,
      body: { message: answer, session_id: sessionId },
      idempotencyKey: `answer:${runId}`,
      canBeAnswered: true,
      alongside: async (tx) => {
        const [later] = await tx.runs.listOfSession({ sessionId, after: runId, limit: 1 });
        if (later !== undefined) throw new AnsweredMeanwhileError();
      },
    });
    if (!submitted.ok && submitted.refusal.reason === "key_reused") {
      return refused({ reason: "question_answered", runId });
    }
    return submitted;
  } catch (cause) {
    if (cause instanceof AnsweredMeanwhileError) return refused({ reason: "question_answered", runId });
    throw cause;
  }
}
