// Examples of workspaces. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { AGENT_ID, OPERATION_ID, REVISION_ID, settled, WORKSPACE_ID } from "../../story.ts";
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

const sums = {
  credits: settled.credits,
  gross_micro_usd: settled.gross_micro_usd,
  refunded_micro_usd: 0,
  tokens: settled.tokens,
  runs: 1,
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
  getByAgent: {
    answers: {
      200: { workspaceOfAgent: { summary: "The one that it manages", value: { ...workspace, also_in: [] } } },
    },
  },
  update: {
    body: { workspaceChange: { summary: "Another manager", value: { manager_agent_id: AGENT_ID } } },
    answers: { 200: { workspaceChanged: { summary: "The workspace", value: workspace } } },
  },
  delete: {
    answers: {
      202: {
        workspaceErasing: {
          summary: "It is being deleted",
          value: { operation_id: OPERATION_ID, status: "erasing" },
        },
      },
    },
  },
  costs: {
    answers: {
      200: {
        workspaceCosts: {
          summary: "One run",
          value: {
            ...sums,
            by_role: settled.usage_by_role,
            by_agent: [{ agent_id: AGENT_ID, ...sums }],
            since: null,
            until: null,
          },
        },
      },
    },
  },
};
