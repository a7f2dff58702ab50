// /v1/workspaces/{workspaceID}/workflows: list, write, delete.

import { ok } from "../../../../base/result.ts";
import type { workspaceWorkflowRoutes } from "../../../../contract/workspaces/workflows.ts";
import type { Core } from "../../../core/core.ts";
import type { WorkflowRecord } from "../../../core/workflows/workflow.ts";
import {
  deleteWorkspaceWorkflow,
  listWorkspaceWorkflows,
  putWorkspaceWorkflow,
} from "../../../core/workspaces/consumers/workflows.ts";
import { toWorkflow } from "../../shared/workflow-view.ts";
import { toPage } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function workspaceWorkflowHandlers(core: Core): NounHandlers<typeof workspaceWorkflowRoutes> {
  const viewIn = (workspaceId: string) => (workflow: WorkflowRecord) => ({
    ...toWorkflow(workflow),
    workspace_id: workspaceId,
  });
  return {
    list: async ({ caller, params: { workspaceID: workspaceId }, query }) =>
      shown(await listWorkspaceWorkflows(core, { caller, workspaceId, query }), toPage(viewIn(workspaceId))),
    put: async ({ caller, params: { workspaceID: workspaceId, workflowID: workflowId }, body }) => {
      const put = await putWorkspaceWorkflow(core, { caller, workspaceId, workflowId, body });
      if (!put.ok) return put;
      const { workflow, isNew } = put.value;
      return ok({ status: isNew ? 201 : 200, body: viewIn(workspaceId)(workflow) });
    },
    delete: async ({ caller, params: { workspaceID: workspaceId, workflowID: workflowId } }) =>
      shown(await deleteWorkspaceWorkflow(core, { caller, workspaceId, workflowId }), viewIn(workspaceId)),
  };
}
