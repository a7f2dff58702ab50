// What a caller is told of workers and task groups. Pure.

import { creditsOf } from "../../../core/money/ledger.ts";
import type { GroupFullRefusal, TaskGroupRefusal } from "../../../core/workspaces/task-groups/refusals.ts";
import type { WorkerRefusal } from "../../../core/workspaces/workers/refusals.ts";
import { forbidden, invalidRequest, notFound, type ProblemsOf } from "./public-problem.ts";

export const workerProblems: ProblemsOf<WorkerRefusal | TaskGroupRefusal | GroupFullRefusal> = {
  worker_not_found: ({ workerId, workspaceId }) =>
    notFound(`Workspace ${workspaceId} has no worker ${workerId}.`),
  worker_base_named_twice: () =>
    invalidRequest(
      'A worker has "working_copy_id", the copy that it works in, or "base_revision_id", of which it gets a new one: not both.',
    ),
  task_group_not_found: ({ taskGroupId }) => notFound(`There is no task group ${taskGroupId}.`),
  task_group_of_another: ({ taskGroupId }) =>
    forbidden(`Task group ${taskGroupId} belongs to another account.`),
  task_group_stopped: ({ taskGroupId }) => ({
    status: 409,
    code: "task_group_stopped",
    message: `Task group ${taskGroupId} was stopped and takes no workers any more. Make another one.`,
  }),
  task_group_full: ({ taskGroupId, inFlight, allowed }) => ({
    status: 429,
    code: "concurrency_reached",
    message: `${inFlight} workers of task group ${taskGroupId} are at work or queued, and it allows ${allowed} at a time. Wait until one has ended.`,
    retryAfterSeconds: 10,
  }),
  task_group_spent: ({ taskGroupId, budgetMicroUsd, usedMicroUsd }) => ({
    status: 409,
    code: "task_group_spent",
    message: `The budget of task group ${taskGroupId} is ${credits(budgetMicroUsd)} credits, of which ${credits(usedMicroUsd)} are spent or set aside for its workers at work: too little is left for another one. Make another task group, or wait for what its workers do not use.`,
  }),
};

function credits(microUsd: number): string {
  return `${Math.round(creditsOf(microUsd) * 100) / 100}`;
}
