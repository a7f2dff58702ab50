// Refusals to find a workflow, and their problems. Pure.

import { notFound, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

export const workflowProblems = {
  workflow_not_found: ({ workflowId }: { workflowId: string }) =>
    notFound(`There is no workflow ${workflowId}.`),
  workflow_version_not_found: ({ workflowId, version }: { workflowId: string; version: number }) =>
    notFound(`Workflow ${workflowId} has no version ${version}.`),
} satisfies ProblemTable;

export type WorkflowRefusal = RefusalOf<typeof workflowProblems>;
