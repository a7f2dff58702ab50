// Answers to a socket's submit and cancel frames: the same use cases and codes as over HTTP.

import type { Logger } from "../../../base/log.ts";
import type { CancelFrame, SubmitFrame } from "../../../contract/sessions/client-frames.ts";
import type { Caller } from "../../core/accounts/caller.ts";
import type { Core } from "../../core/core.ts";
import { cancelRun } from "../../core/runs/cancel-run.ts";
import type { RunSubmitter } from "../../core/runs/submit-run.ts";
import type { Refusal } from "../shared/problems/to-problem.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import type { SendBuffer } from "./send-buffer.ts";

type Recipient = { readonly sendBuffer: SendBuffer; readonly log: Logger };
type Asked<Frame> = { readonly frame: Frame; readonly caller: Caller; readonly to: Recipient };

export async function answerSubmit(submitter: RunSubmitter, asked: Asked<SubmitFrame>): Promise<void> {
  const { frame, caller, to } = asked;
  const { type: _, id, agent_id: agentId, idempotency_key: idempotencyKey = null, ...body } = frame;
  const submitted = await submitter.submit({ caller, agentId, body, idempotencyKey });
  if (!submitted.ok) return refuse(to, submitted.refusal, id);
  const { runId, sessionId, isReplay } = submitted.value;
  to.sendBuffer.send({ type: "submitted", id, run_id: runId, session_id: sessionId, replayed: isReplay });
}

export async function answerCancel(core: Core, asked: Asked<CancelFrame>): Promise<void> {
  const { frame, caller, to } = asked;
  const { id, agent_id: agentId, run_id: runId } = frame;
  const cancelled = await cancelRun(core, { caller, agentId, runId });
  if (!cancelled.ok) return refuse(to, cancelled.refusal, id);
  to.sendBuffer.send({ type: "cancelling", id, run_id: runId });
}

function refuse(to: Recipient, refusal: Refusal, id: string): void {
  to.log.info({ reason: refusal.reason }, "refused");
  to.sendBuffer.sendProblem(toProblem(refusal), id);
}
