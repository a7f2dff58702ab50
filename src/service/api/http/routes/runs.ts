// /v1/agents/{agentID}/runs: submit, list, read, cancel.

import { Hono } from "hono";
import {
  type CancelRunResponse,
  listRunsQuerySchema,
  type SubmitRunResponse,
  submitRunRequestSchema,
} from "../../../../contract/runs/run.ts";
import type { Core } from "../../../core/core.ts";
import { cancelRun } from "../../../core/runs/cancel-run.ts";
import { listRuns } from "../../../core/runs/list-runs.ts";
import { findRun } from "../../../core/runs/read-run.ts";
import type { RunSubmitter } from "../../../core/runs/submit-run.ts";
import { toRun } from "../../shared/run-view.ts";
import { callerOf } from "../authenticate.ts";
import { idempotencyKeyOf } from "../idempotency-key.ts";
import { answerProblem, answerRefusal } from "../problems.ts";
import { decode, readBody } from "../read-body.ts";
import type { Env } from "../request-context.ts";

const MAX_BODY_BYTES = 1024 * 1024;

export function runRoutes(core: Core, submitter: RunSubmitter): Hono<Env> {
  const routes = new Hono<Env>();

  routes.post("/v1/agents/:agentId/runs", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const key = idempotencyKeyOf(context);
    if (!key.ok) return answerProblem(context, key.refusal);
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
      idempotencyKey: key.value,
    });
    if (!submitted.ok) return answerRefusal(context, submitted.refusal);
    const { runId, sessionId, isReplay } = submitted.value;
    const answer: SubmitRunResponse = { run_id: runId, session_id: sessionId };
    context.header("X-Svc-Run-Id", runId);
    context.header("X-Svc-Session-Id", sessionId);
    if (isReplay) context.header("X-Svc-Idempotent-Replay", "true");
    return context.json(answer, 202);
  });

  routes.get("/v1/agents/:agentId/runs", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const query = decode(listRunsQuerySchema, context.req.query(), "The query");
    if (!query.ok) return answerProblem(context, query.refusal);
    const { before = null, session_key: sessionKey = null, limit } = query.value;
    const agentId = context.req.param("agentId");
    const page = await listRuns(core, { caller: caller.value, agentId, sessionKey, before, limit });
    if (!page.ok) return answerRefusal(context, page.refusal);
    const { runs, next } = page.value;
    if (next !== null) {
      const key = sessionKey === null ? "" : `&session_key=${encodeURIComponent(sessionKey)}`;
      const url = `${core.policy.baseUrl}/v1/agents/${agentId}/runs?limit=${limit}&before=${next}${key}`;
      context.header("Link", `<${url}>; rel="next"`);
    }
    return context.json(runs.map(toRun));
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
