// What the fields of operations mean. Pure.

import { type Components, component } from "../../component.ts";
import { operationSchema } from "./operation.ts";

export const operationComponents: Components = {
  Operation: component(operationSchema, "What takes a while in a workspace. A union on `status`.", {
    status: "Where it stands: `queued`, `running`, `succeeded` or `failed`.",
    id: "The operation's id.",
    workspace_id: "The workspace's id.",
    kind: "What is done.",
    progress: "How far it is; each kind has its own words for that.",
    result: [
      "What came of it.",
      {
        revision_id: "The revision that was made, or that was there already.",
        unchanged: "True where nothing had changed, so that no revision was made.",
        working_copy_id: "The working copy that was made or deleted.",
      },
    ],
    error: [
      "Why it failed.",
      { code: "One of the codes of refusals.", error: "For people: what happened, and what to do." },
    ],
    created_at: "When it was requested.",
    ended_at: "When it ended.",
  }),
};
