// A stored workflow as the contract shows it. Pure.

import type { Workflow } from "../../../contract/workflows.ts";
import type { WorkflowRecord } from "../../core/workflows/workflow.ts";

export function toWorkflow(workflow: WorkflowRecord): Workflow {
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
