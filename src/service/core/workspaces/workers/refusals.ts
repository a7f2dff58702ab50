// Refusals to start or find a worker, and their problems. Pure.

import { invalidRequest, notFound, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";

export const workerProblems = {
  worker_not_found: ({ workerId, workspaceId }: { workerId: string; workspaceId: string }) =>
    notFound(`Workspace ${workspaceId} has no worker ${workerId}.`),
  worker_base_named_twice: () =>
    invalidRequest(
      'A worker has "working_copy_id", the copy that it works in, or "base_revision_id", of which it gets a new one: not both.',
    ),
} satisfies ProblemTable;

export type WorkerRefusal = RefusalOf<typeof workerProblems>;
