// What the fields of a workspace's schedules mean. Pure.

import { type Components, component } from "../../component.ts";
import { workspaceScheduleListSchema } from "./workspace-schedule.ts";

export const workspaceScheduleComponents: Components = {
  WorkspaceScheduleList: component(workspaceScheduleListSchema, "A page of schedules, newest first.", {
    items: "The schedules.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
};
