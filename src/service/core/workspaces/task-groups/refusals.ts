// Why a task group is not found, or takes no worker. Money is micro-USD. Pure.
// Why: docs/decisions/090-the-budget-of-a-task-group.md

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
