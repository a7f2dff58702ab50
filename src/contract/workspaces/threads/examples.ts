// Examples of a workspace's sessions. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { AGENT_ID, THREAD_ID, WORKSPACE_ID } from "../../story.ts";
import type { threadRoutes } from "./routes.ts";

const thread = {
  id: THREAD_ID,
  workspace_id: WORKSPACE_ID,
  agent_id: AGENT_ID,
  title: "Release notes",
  created_at: "2026-03-09T10:02:00.000Z",
};

export const threadExamples: ExamplesOf<typeof threadRoutes> = {
  list: {
    answers: { 200: { threadList: { summary: "One session", value: { items: [thread], next_cursor: "" } } } },
  },
  create: {
    body: { threadToBegin: { summary: "A session of the manager", value: { title: "Release notes" } } },
    answers: { 201: { threadBegun: { summary: "A new session", value: thread } } },
  },
};
