// What the fields of a workspace's sessions mean. Pure.

import { type Components, component } from "../../component.ts";
import { createThreadRequestSchema, threadListSchema, threadSchema } from "./thread.ts";

export const threadComponents: Components = {
  Thread: component(threadSchema, "A session of one agent in a workspace: its runs continue one another.", {
    id: "The session's id: the `thread_id` of its runs.",
    workspace_id: "The workspace.",
    agent_id: "The agent whose session it is.",
    title: "What it is called; null where a run began it, or nobody said.",
    created_at: "When it began.",
  }),
  ThreadList: component(threadListSchema, "A page of sessions, newest first.", {
    items: "The sessions.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  CreateThreadRequest: component(createThreadRequestSchema, "The session to begin.", {
    title: "What it is called.",
    agent_id: "A member of the workspace. Left out: its manager.",
    idempotency_key: "Makes the request safe to repeat for 24 hours. The header wins over it.",
  }),
};
