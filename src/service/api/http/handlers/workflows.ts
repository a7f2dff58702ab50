// /v1/workflows/{id}: activate and executions.

import type { workflowRoutes } from "../../../../contract/workflows/routes.ts";
import type { Workflow } from "../../../../contract/workflows/workflow.ts";
import type { Core } from "../../../core/core.ts";
import type { RunSubmitter } from "../../../core/runs/submit-run.ts";
import type { WorkflowRecord } from "../../../core/workflows/workflow.ts";
import { activateWorkflow, executeWorkflow } from "../../../core/workflows/workflows.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function workflowHandlers(core: Core, submitter: RunSubmitter): NounHandlers<typeof workflowRoutes> {
  return {
    activate: async ({ caller, params, body }) => {
      const request = { caller, workflowId: params.id, version: body.version ?? null };
      return shown(await activateWorkflow(core, request), toWorkflow);
    },
    execute: async ({ caller, params, body, idempotencyKey }) => {
      const request = { caller, workflowId: params.id, input: body.input ?? null, idempotencyKey };
      return shown(await executeWorkflow(core, submitter, request), ({ runId, sessionId, version }) => ({
        run_id: runId,
        session_id: sessionId,
        version,
      }));
    },
  };
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
