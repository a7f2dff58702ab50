// What the fields of a workspace's runs mean. Pure.

import { type Components, component, oneOf } from "../../component.ts";
import { submitRunFields } from "../../runs/components.ts";
import { submitWorkspaceRunRequestSchema, workspaceRunListSchema } from "./workspace-run.ts";

export const workspaceRunComponents: Components = {
  WorkspaceRunList: component(workspaceRunListSchema, "A page of runs, newest first.", {
    items: "The runs.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  SubmitWorkspaceRunRequest: component(
    submitWorkspaceRunRequestSchema,
    "A run of a workspace. Exactly one of `message` and `messages` is needed.",
    {
      ...submitRunFields,
      executor_agent_id: "The member that runs. Left out: the manager.",
      working_copy_id: "The copy that the run works in, and nobody else meanwhile.",
      task_group_id: "The task group that the run works for, as a worker.",
    },
    oneOf("message", "messages"),
  ),
};
