// POST /v1/questions/{runID}/answer: a parked run goes on with the answer. Where the run has ended, the answer is the next message of
// its session.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import { hashRequest, isSameRequest } from "../idempotency/request-hash.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { resumeRun } from "../runs/continue-run.ts";
import { findRun } from "../runs/read-run.ts";
import type { RunRefusal, SubmitRefusal } from "../runs/refusals.ts";
import type { RunRecord } from "../runs/run-record.ts";
import type { Submitted } from "../runs/submission.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import { askedAt } from "./question.ts";
import type { QuestionRefusal } from "./refusals.ts";

const ANSWER_KEPT_MS = 24 * 60 * 60 * 1000;

/** Somebody has continued the session, or the run, meanwhile: nothing is done. */
class AnsweredMeanwhileError extends Error {}

type AnswerRequest = {
  readonly caller: AccountCaller;
  readonly runId: string;
  readonly answer: string;
  /** When the question was asked that this answers. Null: the one that the run asks now. */
  readonly askedAt: number | null;
  /** Whether a run that the answer begins may be parked. */
  readonly mayPark: boolean;
  /** Written with the answer to a parked run. What it throws undoes all of it. */
  readonly alongside?: (tx: StoreTransaction, run: RunRecord) => Promise<void>;
};

type Answered = Result<Submitted, QuestionRefusal | RunRefusal | SubmitRefusal>;

/**
 * Continues the run that is parked with the question, or submits the answer as a run of the same session. It may ask again. A run, or a
 * session, that went on since is refused. The same answer again within 24 hours gives the run of the first.
 */
export async function answerQuestion(
  core: Core,
  submitter: RunSubmitter,
  request: AnswerRequest,
): Promise<Answered> {
  const { caller, runId } = request;
  const found = await findRun(core, { caller, runId });
  if (!found.ok) return found;
  const run = found.value;
  const isOfNow = request.askedAt === null || request.askedAt === askedAt(run);
  if (run.stopReason !== "question" || !isOfNow) return await answeredBefore(core, run, request);
  try {
    return run.parked === undefined
      ? await submitAnswer(submitter, run, request)
      : await resumeWith(core, run, request);
  } catch (cause) {
    if (cause instanceof AnsweredMeanwhileError) return refused({ reason: "question_answered", runId });
    throw cause;
  }
}

async function submitAnswer(
  submitter: RunSubmitter,
  { id: runId, agentId, sessionId }: RunRecord,
  { caller, answer, mayPark }: AnswerRequest,
): Promise<Answered> {
  const submitted = await submitter.submit({
    caller,
    agentId,
    body: { message: answer, session_id: sessionId, ...(mayPark ? { may_park: true } : {}) },
    idempotencyKey: `answer:${runId}`,
    canBeAnswered: true,
    alongside: async (tx) => {
      const [later] = await tx.runs.listOfSession({ sessionId, after: runId, limit: 1 });
      if (later !== undefined) throw new AnsweredMeanwhileError();
    },
  });
  if (!submitted.ok && submitted.refusal.reason === "key_reused")
    return refused({ reason: "question_answered", runId });
  return submitted;
}

async function resumeWith(core: Core, run: RunRecord, request: AnswerRequest): Promise<Answered> {
  const { caller, answer } = request;
  const { id: runId, agentId, sessionId } = run;
  const resumed = await resumeRun(core, {
    caller,
    agentId,
    runId,
    given: { message: answer, maxCostMicroUsd: null, maxTokens: null },
    alongside: async (tx, parkedRun) => {
      if (askedAt(parkedRun) !== askedAt(run)) throw new AnsweredMeanwhileError();
      const use = { agentId, key: keyOf(runId), runId, sessionId, requestHash: hashOf(answer) };
      await tx.idempotency.put({ ...use, expiresAt: core.clock.now() + ANSWER_KEPT_MS });
      await request.alongside?.(tx, parkedRun);
    },
  });
  const isLate =
    !resumed.ok && (resumed.refusal.reason === "run_not_parked" || resumed.refusal.reason === "run_finished");
  return isLate ? await answeredBefore(core, run, request) : resumed;
}

/** The run that the same answer has continued. */
async function answeredBefore(
  core: Core,
  { id: runId, agentId, sessionId, stopReason }: RunRecord,
  { answer, askedAt: asked }: AnswerRequest,
): Promise<Answered> {
  const now = core.clock.now();
  const earlier = await core.store.transact((tx) => tx.idempotency.find({ agentId, key: keyOf(runId), now }));
  if (earlier !== null && isSameRequest(earlier.requestHash, hashOf(answer)))
    return ok({ runId, sessionId, isReplay: true });
  const wasAsked = earlier !== null || asked !== null || stopReason === "question";
  return refused({ reason: wasAsked ? "question_answered" : "question_not_found", runId });
}

/** One a run: the answer to its last question. */
function keyOf(runId: string): string {
  return `parked-answer:${runId}`;
}

function hashOf(answer: string): string {
  return hashRequest({ answer });
}
