// Examples of workspaces. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { AGENT_ID, REVISION_ID, WORKSPACE_ID } from "../../story.ts";
import type { workspaceRoutes } from "./routes.ts";

const workspace = {
  id: WORKSPACE_ID,
  name: "hello-world",
  manager_agent_id: AGENT_ID,
  current_revision_id: REVISION_ID,
  storage_state: "ready" as const,
  metadata: {},
  created_at: "2026-03-09T10:00:00.000Z",
};

export const workspaceExamples: ExamplesOf<typeof workspaceRoutes> = {
  list: {
    answers: {
      200: { workspaceList: { summary: "One workspace", value: { items: [workspace], next_cursor: "" } } },
    },
  },
  create: {
    body: {
      workspaceOfNewManager: { summary: "With a new agent as its manager", value: { name: "hello-world" } },
      workspaceOfManager: {
        summary: "With an agent that is there as its manager",
        value: { name: "hello-world", default_manager_agent_id: AGENT_ID },
      },
    },
    answers: { 201: { workspaceMade: { summary: "A new workspace", value: workspace } } },
  },
  get: { answers: { 200: { workspace: { summary: "A workspace", value: workspace } } } },
};
