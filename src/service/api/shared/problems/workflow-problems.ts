// What a caller is told of a workflow. Pure.

import type { WorkflowRefusal } from "../../../core/workflows/refusals.ts";
import { notFound, type ProblemsOf } from "./public-problem.ts";

export const workflowProblems: ProblemsOf<WorkflowRefusal> = {
  workflow_not_found: ({ workflowId }) => notFound(`There is no workflow ${workflowId}.`),
  workflow_version_not_found: ({ workflowId, version }) =>
    notFound(`Workflow ${workflowId} has no version ${version}.`),
};
