// Why a workflow is not found. Pure.

export type WorkflowRefusal =
  | { readonly reason: "workflow_not_found"; readonly workflowId: string }
  | { readonly reason: "workflow_version_not_found"; readonly workflowId: string; readonly version: number };
