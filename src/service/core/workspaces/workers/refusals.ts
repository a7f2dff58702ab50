// Why a worker is not started or found, and what its caller is told. Pure.

import { invalidRequest, notFound, type ProblemsOf } from "../../ports/problem.ts";

export type WorkerRefusal =
  | { readonly reason: "worker_not_found"; readonly workerId: string; readonly workspaceId: string }
  | { readonly reason: "worker_base_named_twice" };

export const workerProblems: ProblemsOf<WorkerRefusal> = {
  worker_not_found: ({ workerId, workspaceId }) =>
    notFound(`Workspace ${workspaceId} has no worker ${workerId}.`),
  worker_base_named_twice: () =>
    invalidRequest(
      'A worker has "working_copy_id", the copy that it works in, or "base_revision_id", of which it gets a new one: not both.',
    ),
};
