// What the fields of task groups mean. Pure.

import { type Components, component } from "../../component.ts";
import { actorTexts } from "../record.ts";
import { createTaskGroupRequestSchema, taskGroupListSchema, taskGroupSchema } from "./task-group.ts";

const budget =
  "What its workers' runs may cost together, in credits. Each run gets a share of what is left when it starts. Null: no limit of the group's own.";
const workers = "How many of its workers may be at work, or queued, at a time.";

export const taskGroupComponents: Components = {
  TaskGroup: component(taskGroupSchema, "Workers with one budget and one stop.", {
    id: "The task group's id.",
    workspace_id: "The workspace's id.",
    name: "What it is called.",
    status: "`stopped` once it takes no workers any more.",
    budget_credits: budget,
    max_workers: workers,
    workers: [
      "How its workers are.",
      {
        total: "How many there are.",
        by_run_status: [
          "How many by the status of their runs.",
          {
            queued: "Waiting.",
            running: "At work.",
            cancelling: "About to be cancelled.",
            completed: "Completed.",
            failed: "Failed.",
            cancelled: "Cancelled.",
          },
        ],
        by_save_state: [
          "How many by what of their changes is saved.",
          {
            none: "Nothing yet.",
            saving: "It is being saved.",
            saved: "A revision was made.",
            unchanged: "There was nothing to save.",
            failed: "It could not be saved.",
          },
        ],
      },
    ],
    changeset_ids: "The changesets that were made of its workers' revisions, oldest first.",
    created_by: ["Who made it.", actorTexts],
    created_at: "When it was made.",
    stopped_at: "When it was stopped.",
  }),
  TaskGroupList: component(taskGroupListSchema, "A page of task groups, newest first.", {
    items: "The task groups.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  CreateTaskGroupRequest: component(createTaskGroupRequestSchema, "A task group to make.", {
    name: "What it is called.",
    budget_credits: budget,
    max_workers: `${workers} Left out: 10.`,
    idempotency_key: "Makes the request safe to repeat, where it has no header Idempotency-Key.",
  }),
};
