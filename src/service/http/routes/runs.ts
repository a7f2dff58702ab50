// /v1/agents/{agentID}/runs: submit, read, cancel.

import { Hono } from "hono";
import {
  type CancelRunResponse,
  MAX_IDEMPOTENCY_KEY_CHARS,
  type SubmitRunResponse,
  submitRunRequestSchema,
} from "../../../contract/run.ts";
import { cancelRun } from "../../core/cancel-run.ts";
import type { Core } from "../../core/core.ts";
import { findRun } from "../../core/read-run.ts";
import { toRun } from "../../core/run-view.ts";
import { RunSubmitter } from "../../core/submit-run.ts";
import { callerOf } from "../authenticate.ts";
import { answerProblem, answerRefusal, invalidRequest } from "../problems.ts";
import { readBody } from "../read-body.ts";
import type { Env } from "../request-context.ts";

const MAX_BODY_BYTES = 1024 * 1024;

export function runRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();
  const submitter = new RunSubmitter(core);

  routes.post("/v1/agents/:agentId/runs", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const idempotencyKey = context.req.header("idempotency-key") ?? null;
    if (idempotencyKey !== null && !isKey(idempotencyKey)) {
      const message = `Header Idempotency-Key must have 1 to ${MAX_IDEMPOTENCY_KEY_CHARS} characters, got ${idempotencyKey.length}.`;
      return answerProblem(context, invalidRequest(message));
    }
    const body = await readBody(context, {
      schema: submitRunRequestSchema,
      maxBytes: MAX_BODY_BYTES,
      acceptsForm: false,
    });
    if (!body.ok) return answerProblem(context, body.refusal);
    const submitted = await submitter.submit({
      caller: caller.value,
      agentId: context.req.param("agentId"),
      body: body.value,
      idempotencyKey,
    });
    if (!submitted.ok) return answerRefusal(context, submitted.refusal);
    const { runId, sessionId, isReplay } = submitted.value;
    const answer: SubmitRunResponse = { run_id: runId, session_id: sessionId };
    context.header("X-Svc-Run-Id", runId);
    context.header("X-Svc-Session-Id", sessionId);
    if (isReplay) context.header("X-Svc-Idempotent-Replay", "true");
    return context.json(answer, 202);
  });

  routes.get("/v1/agents/:agentId/runs/:runId", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const { agentId, runId } = context.req.param();
    const run = await findRun(core, { caller: caller.value, agentId, runId });
    return run.ok ? context.json(toRun(run.value)) : answerRefusal(context, run.refusal);
  });

  routes.post("/v1/agents/:agentId/runs/:runId/cancel", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const { agentId, runId } = context.req.param();
    const cancelled = await cancelRun(core, { caller: caller.value, agentId, runId });
    if (!cancelled.ok) return answerRefusal(context, cancelled.refusal);
    const answer: CancelRunResponse = { runId, status: "cancelling" };
    return context.json(answer, 202);
  });

  return routes;
}

function isKey(text: string): boolean {
  return text.length >= 1 && text.length <= MAX_IDEMPOTENCY_KEY_CHARS;
}
