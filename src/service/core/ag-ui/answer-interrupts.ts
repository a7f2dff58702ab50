// Answers to interrupts: approvals are decided first, then the parked run goes on, or the thread does with what was approved. Each
// by the use case of its noun, so that the rules for who may do what are those of every API.

import { ok, type Result, refused } from "../../../base/result.ts";
import {
  answerPayloadSchema,
  approvalPayloadSchema,
  type ResumeEntry,
} from "../../../contract/ag-ui/run-agent-input.ts";
import type { Parked } from "../../../contract/runs/run.ts";
import { PARKED_EVENT, runEventSchema } from "../../../contract/runs/run-event.ts";
import { resumeRunRequestSchema } from "../../../contract/runs/run-requests.ts";
import { needScopes } from "../accounts/caller.ts";
import type { ApprovalRecord } from "../approvals/approval.ts";
import { approveApproval, denyApproval } from "../approvals/decide-approval.ts";
import type { Core } from "../core.ts";
import { answerQuestion } from "../questions/answer-question.ts";
import { cancelRun } from "../runs/cancel-run.ts";
import { givenBy, resumeRun } from "../runs/continue-run.ts";
import type { RunRecord } from "../runs/run-record.ts";
import type { RunSubmitter } from "../runs/submit-run.ts";
import { answersOf, keepClientRun, sessionKeyOf } from "./client-runs.ts";
import { readInterruptId } from "./interrupts.ts";
import type { AgUiRefusal } from "./refusals.ts";
import { type AgUiSaying, type AgUiStarted, type AgUiStartRefusal, say } from "./say.ts";

/** What the agent is told where a person has approved what it asked for, and says no more. */
const GO_ON = "What you asked for is approved. Go on.";

/** The answer to what a parked run waits for. */
type RunAnswer = {
  readonly entry: ResumeEntry;
  readonly run: RunRecord;
  /** The event that parked it. */
  readonly seq: number;
  readonly parked: Parked;
};
type ApprovalAnswer = {
  readonly entry: ResumeEntry;
  readonly approval: ApprovalRecord;
  readonly isApproved: boolean | null;
};
type Answers = { readonly ofRun: RunAnswer | null; readonly ofApprovals: readonly ApprovalAnswer[] };

export async function answerInterrupts(
  core: Core,
  submitter: RunSubmitter,
  saying: AgUiSaying,
): Promise<AgUiStarted> {
  const answers = await readAnswers(core, saying);
  if (!answers.ok) return answers;
  const { ofRun, ofApprovals } = answers.value;
  for (const answer of ofApprovals) {
    const fault = await decide(core, submitter, { ...saying, ...answer });
    if (fault !== null) return refused(fault);
  }
  if (ofRun !== null) return await goOn(core, submitter, { ...saying, ...ofRun });
  if (saying.said?.isLast === true) return await say(core, submitter, saying);
  if (!ofApprovals.some(({ isApproved }) => isApproved)) return ok({ run: null, isReplay: false });
  return await say(core, submitter, { ...saying, said: { text: GO_ON, images: [] } });
}

/** All of them, before any is acted on. */
async function readAnswers(core: Core, saying: AgUiSaying): Promise<Result<Answers, AgUiRefusal>> {
  const { agentId, input } = saying;
  const key = sessionKeyOf(input.threadId);
  const sessionId = await core.store.committed.sessions.findByKey({ agentId, key });
  const ofRuns: RunAnswer[] = [];
  const ofApprovals: ApprovalAnswer[] = [];
  for (const entry of answersOf(input)) {
    const subject = readInterruptId(entry.interruptId);
    if (subject.kind === "parked") {
      const answer = sessionId === null ? null : await findParkedBy(core, { ...subject, sessionId });
      if (answer === null) return refused({ reason: "interrupt_not_found", interruptId: entry.interruptId });
      ofRuns.push({ entry, ...answer });
    } else {
      const answer = await readApproval(core, { saying, entry, approvalId: subject.approvalId });
      if (!answer.ok) return answer;
      ofApprovals.push(answer.value);
    }
  }
  if (ofRuns.length > 1) return refused({ reason: "interrupts_of_runs" });
  const [ofRun = null] = ofRuns;
  const waiting = sessionId === null ? null : await core.store.committed.runs.findParked(sessionId);
  // What follows would be taken for its answer.
  if (waiting !== null && ofRun === null)
    return refused({ reason: "interrupt_left_open", runId: waiting.id });
  return ok({ ofRun, ofApprovals });
}

async function findParkedBy(
  core: Core,
  { runId, seq, sessionId }: { readonly runId: string; readonly seq: number; readonly sessionId: string },
): Promise<Omit<RunAnswer, "entry"> | null> {
  const { runs, events } = core.store.committed;
  const run = await runs.find(runId);
  if (run === null || run.sessionId !== sessionId) return null;
  const [stored] = await events.list({ runId, after: seq - 1, limit: 1 });
  const event = stored?.seq === seq ? runEventSchema.safeParse(JSON.parse(stored.json)) : null;
  if (event?.success !== true || event.data.type !== "CUSTOM" || event.data.name !== PARKED_EVENT)
    return null;
  return { run, seq, parked: event.data.value };
}

async function readApproval(
  core: Core,
  { saying, entry, approvalId }: { saying: AgUiSaying; entry: ResumeEntry; approvalId: string },
): Promise<Result<ApprovalAnswer, AgUiRefusal>> {
  const { caller, agentId } = saying;
  const { interruptId } = entry;
  const approval = await core.store.committed.approvals.find(approvalId);
  if (approval === null || approval.agentId !== agentId || approval.accountId !== caller.accountId)
    return refused({ reason: "interrupt_not_found", interruptId });
  if (entry.status === "cancelled") return ok({ entry, approval, isApproved: null });
  const payload = approvalPayloadSchema.safeParse(entry.payload);
  if (!payload.success)
    return refused({
      reason: "interrupt_payload_refused",
      interruptId,
      expected: '{"approved": true} or {"approved": false}',
    });
  const isApproved = typeof payload.data === "boolean" ? payload.data : payload.data.approved;
  return ok({ entry, approval, isApproved });
}

/** Null once it is decided, or where nobody decides it. */
async function decide(
  core: Core,
  submitter: RunSubmitter,
  { caller, requestId, approval, isApproved }: AgUiSaying & ApprovalAnswer,
): Promise<AgUiStartRefusal | null> {
  if (isApproved === null) return null;
  const decision = { caller, approvalId: approval.id, requestId };
  if (isApproved) {
    const approved = await approveApproval(core, submitter, decision);
    return approved.ok ? null : approved.refusal;
  }
  const scopes = needScopes(caller, ["schedules:write"]);
  if (!scopes.ok) return scopes.refusal;
  const denied = await denyApproval(core, decision);
  return denied.ok ? null : denied.refusal;
}

/** The run goes on with the answer, or is cancelled. Where it has gone on without, what came since is what is read. */
async function goOn(
  core: Core,
  submitter: RunSubmitter,
  answer: AgUiSaying & RunAnswer,
): Promise<AgUiStarted> {
  const { caller, agentId, run, seq, entry, parked, said, use } = answer;
  const isWaiting = run.parked !== undefined && run.lastSeq === seq;
  const { id: runId, sessionId } = run;
  const rest = { run: { runId, sessionId, after: seq }, isReplay: false };
  const keep = () =>
    core.store.transact((tx) => keepClientRun(core, tx, { ...use, runId, sessionId, continuedAfter: seq }));
  if (entry.status === "cancelled") {
    if (isWaiting) {
      const cancelled = await cancelRun(core, { caller, agentId, runId });
      if (!cancelled.ok && cancelled.refusal.reason !== "run_finished") return cancelled;
    }
    if (said?.isLast === true) return await say(core, submitter, answer);
    await keep();
    return ok(rest);
  }
  const continued =
    parked.reason === "question"
      ? await answerTo(core, submitter, answer)
      : isWaiting
        ? await giveTo(core, answer)
        : ok({ isReplay: true });
  if (!continued.ok) return continued;
  // Its transaction has kept the client's id, unless it was continued before.
  if (continued.value.isReplay) await keep();
  return ok(rest);
}

type Continued = Result<{ readonly isReplay: boolean }, AgUiStartRefusal>;

async function answerTo(
  core: Core,
  submitter: RunSubmitter,
  { caller, run, seq, parked, entry, use }: AgUiSaying & RunAnswer,
): Promise<Continued> {
  const { interruptId } = entry;
  const payload = answerPayloadSchema.safeParse(entry.payload);
  if (!payload.success)
    return refused({
      reason: "interrupt_payload_refused",
      interruptId,
      expected: '{"answer": "…"}, or a text',
    });
  return await answerQuestion(core, submitter, {
    caller,
    runId: run.id,
    answer: typeof payload.data === "string" ? payload.data : payload.data.answer,
    askedAt: Date.parse(parked.since),
    mayPark: true,
    alongside: (tx) =>
      keepClientRun(core, tx, { ...use, runId: run.id, sessionId: run.sessionId, continuedAfter: seq }),
  });
}

async function giveTo(
  core: Core,
  { caller, agentId, run, seq, entry, use }: AgUiSaying & RunAnswer,
): Promise<Continued> {
  const { interruptId } = entry;
  const given = resumeRunRequestSchema.safeParse(entry.payload ?? {});
  if (!given.success)
    return refused({
      reason: "interrupt_payload_refused",
      interruptId,
      expected: 'an object with "max_cost_usd", "max_turn_tokens" or "message", as its responseSchema says',
    });
  return await resumeRun(core, {
    caller,
    agentId,
    runId: run.id,
    given: givenBy(given.data),
    alongside: (tx) =>
      keepClientRun(core, tx, { ...use, runId: run.id, sessionId: run.sessionId, continuedAfter: seq }),
  });
}
