// Refusals to find a task group, or to take a worker into one, and their problems. Money is micro-USD. Pure.
// Why: docs/decisions/090-the-budget-of-a-task-group.md

import { creditsOf } from "../../money/ledger.ts";
import { conflict, forbidden, notFound, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";

export const taskGroupProblems = {
  task_group_not_found: ({ taskGroupId }: { taskGroupId: string }) =>
    notFound(`There is no task group ${taskGroupId}.`),
  task_group_of_another: ({ taskGroupId }: { taskGroupId: string }) =>
    forbidden(`Task group ${taskGroupId} belongs to another account.`),
  task_group_stopped: ({ taskGroupId }: { taskGroupId: string }) =>
    conflict(
      "task_group_stopped",
      `Task group ${taskGroupId} was stopped and takes no workers any more. Make another one.`,
    ),
  task_group_full: (refusal: { taskGroupId: string; inFlight: number; allowed: number }) => ({
    status: 429,
    code: "concurrency_reached",
    message: `${refusal.inFlight} workers of task group ${refusal.taskGroupId} are at work or queued, and it allows ${refusal.allowed} at a time. Wait until one has ended.`,
    retryAfterSeconds: 10,
  }),
  task_group_spent: (refusal: { taskGroupId: string; budgetMicroUsd: number; usedMicroUsd: number }) =>
    conflict(
      "task_group_spent",
      `The budget of task group ${refusal.taskGroupId} is ${credits(refusal.budgetMicroUsd)} credits, of which ${credits(refusal.usedMicroUsd)} are spent or set aside for its workers at work: too little is left for another one. Make another task group, or wait for what its workers do not use.`,
    ),
} satisfies ProblemTable;

export type TaskGroupRefusal = RefusalOf<
  typeof taskGroupProblems,
  "task_group_not_found" | "task_group_of_another"
>;

export type GroupFullRefusal = RefusalOf<
  typeof taskGroupProblems,
  "task_group_stopped" | "task_group_full" | "task_group_spent"
>;

function credits(microUsd: number): string {
  return `${Math.round(creditsOf(microUsd) * 100) / 100}`;
}
