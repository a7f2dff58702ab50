// Why a workflow is not found, and what its caller is told. Pure.

import { notFound, type ProblemsOf } from "../ports/problem.ts";

export type WorkflowRefusal =
  | { readonly reason: "workflow_not_found"; readonly workflowId: string }
  | { readonly reason: "workflow_version_not_found"; readonly workflowId: string; readonly version: number };

export const workflowProblems: ProblemsOf<WorkflowRefusal> = {
  workflow_not_found: ({ workflowId }) => notFound(`There is no workflow ${workflowId}.`),
  workflow_version_not_found: ({ workflowId, version }) =>
    notFound(`Workflow ${workflowId} has no version ${version}.`),
};
