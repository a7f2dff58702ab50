// /v1/workflows/{id}: activate and executions.

import { Hono } from "hono";
import {
  activateWorkflowRequestSchema,
  type ExecuteWorkflowResponse,
  executeWorkflowRequestSchema,
  type Workflow,
} from "../../../../contract/workflows/workflow.ts";
import type { Core } from "../../../core/core.ts";
import type { WorkflowRecord } from "../../../core/records.ts";
import type { RunSubmitter } from "../../../core/runs/submit-run.ts";
import { activateWorkflow, executeWorkflow } from "../../../core/workflows/workflows.ts";
import { callerOf } from "../authenticate.ts";
import { idempotencyKeyOf } from "../idempotency-key.ts";
import { answerProblem, answerRefusal } from "../problems.ts";
import { readOptionalBody } from "../read-body.ts";
import type { Env } from "../request-context.ts";

const MAX_BODY_BYTES = 512 * 1024;

export function workflowRoutes(core: Core, submitter: RunSubmitter): Hono<Env> {
  const routes = new Hono<Env>();

  routes.post("/v1/workflows/:workflowId/activate", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const body = await readOptionalBody(context, {
      schema: activateWorkflowRequestSchema,
      maxBytes: MAX_BODY_BYTES,
      acceptsForm: false,
    });
    if (!body.ok) return answerProblem(context, body.refusal);
    const activated = await activateWorkflow(core, {
      caller: caller.value,
      workflowId: context.req.param("workflowId"),
      version: body.value.version ?? null,
    });
    return activated.ok
      ? context.json(toWorkflow(activated.value))
      : answerRefusal(context, activated.refusal);
  });

  routes.post("/v1/workflows/:workflowId/executions", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const body = await readOptionalBody(context, {
      schema: executeWorkflowRequestSchema,
      maxBytes: MAX_BODY_BYTES,
      acceptsForm: false,
    });
    if (!body.ok) return answerProblem(context, body.refusal);
    const idempotencyKey = idempotencyKeyOf(context);
    if (!idempotencyKey.ok) return answerProblem(context, idempotencyKey.refusal);
    const executed = await executeWorkflow(core, submitter, {
      caller: caller.value,
      workflowId: context.req.param("workflowId"),
      input: body.value.input ?? null,
      idempotencyKey: idempotencyKey.value,
    });
    if (!executed.ok) return answerRefusal(context, executed.refusal);
    const { runId, sessionId, version } = executed.value;
    const answer: ExecuteWorkflowResponse = { run_id: runId, session_id: sessionId, version };
    return context.json(answer, 202);
  });

  return routes;
}

function toWorkflow(workflow: WorkflowRecord): Workflow {
  return {
    id: workflow.id,
    agent_id: workflow.agentId,
    name: workflow.name,
    version: workflow.version,
    active_version: workflow.activeVersion,
    created_at: new Date(workflow.createdAt).toISOString(),
    updated_at: new Date(workflow.updatedAt).toISOString(),
  };
}
