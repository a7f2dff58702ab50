// Why a task group is not found, or takes no worker. Money is micro-USD, and what its caller is told. Pure.
// Why: docs/decisions/090-the-budget-of-a-task-group.md

import { creditsOf } from "../../money/ledger.ts";
import { forbidden, notFound, type ProblemsOf } from "../../ports/problem.ts";

export type TaskGroupRefusal =
  | { readonly reason: "task_group_not_found"; readonly taskGroupId: string }
  | { readonly reason: "task_group_of_another"; readonly taskGroupId: string };

export type GroupFullRefusal =
  | { readonly reason: "task_group_stopped"; readonly taskGroupId: string }
  | {
      readonly reason: "task_group_full";
      readonly taskGroupId: string;
      readonly inFlight: number;
      readonly allowed: number;
    }
  | {
      readonly reason: "task_group_spent";
      readonly taskGroupId: string;
      readonly budgetMicroUsd: number;
      readonly usedMicroUsd: number;
    };

export const taskGroupProblems: ProblemsOf<TaskGroupRefusal | GroupFullRefusal> = {
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
