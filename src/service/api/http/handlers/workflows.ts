// /v1/workflows/{id}: activate and executions.

import { ok } from "../../../../base/result.ts";
import type { workflowRoutes } from "../../../../contract/workflows.ts";
import type { Core } from "../../../core/core.ts";
import type { RunSubmitter } from "../../../core/runs/submit-run.ts";
import { activateWorkflow, executeWorkflow } from "../../../core/workflows/workflows.ts";
import { toWorkflow } from "../../shared/workflow-view.ts";
import { type NounHandlers, shown } from "../handler.ts";
import { submittedHeaders } from "../submitted-headers.ts";

export function workflowHandlers(core: Core, submitter: RunSubmitter): NounHandlers<typeof workflowRoutes> {
  return {
    activate: async ({ caller, params, body }) => {
      const request = { caller, workflowId: params.id, version: body.version ?? null };
      return shown(await activateWorkflow(core, request), toWorkflow);
    },
    execute: async ({ caller, params, body, idempotencyKey }) => {
      const request = { caller, workflowId: params.id, input: body.input ?? null, idempotencyKey };
      const executed = await executeWorkflow(core, submitter, request);
      if (!executed.ok) return executed;
      const { runId, sessionId, version } = executed.value;
      return ok({
        body: { run_id: runId, session_id: sessionId, version },
        headers: submittedHeaders(executed.value),
        isReplay: executed.value.isReplay,
      });
    },
  };
}
