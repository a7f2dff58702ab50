// execute_workflow: the active version of a workflow as a run, waited for a while.

import { ok } from "../../../../base/result.ts";
import { executeWorkflowTool } from "../../../../contract/mcp/run-tools.ts";
import { executeWorkflow } from "../../../core/workflows/workflows.ts";
import { followSubmitted } from "../follow-submitted.ts";
import { defineTool } from "../tool.ts";

export const executeActiveWorkflow = defineTool({
  name: "execute_workflow",
  title: "Execute a workflow",
  description:
    "Runs the version of a workflow that its owner has activated, and waits for the run as invoke_agent does. Only the owner activates one: for a workflow that is not active the answer has approve_url, which is for the user.",
  hints: { isOpenWorld: true },
  scopes: ["runs:write", "runs:read"],
  schemas: executeWorkflowTool,
  run: async (args, context) => {
    const { workflow_id: workflowId, input = null, idempotency_key: key = null, wait_seconds } = args;
    const { core, submitter, caller } = context;
    const request = { caller, workflowId, input, idempotencyKey: key };
    const executed = await executeWorkflow(core, submitter, request);
    if (!executed.ok) return executed;
    const { runId, version } = executed.value;
    const followed = await followSubmitted(context, { runId, waitSeconds: wait_seconds });
    if (!followed.ok) return followed;
    if (followed.value.type === "task") return ok(followed.value);
    const { structured, ...shown } = followed.value;
    return ok({ ...shown, structured: { ...structured, workflow_version: version } });
  },
});
