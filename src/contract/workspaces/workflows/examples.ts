// Examples of a workspace's workflows. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { AGENT_ID, WORKFLOW_ID, WORKSPACE_ID } from "../../story.ts";
import type { workspaceWorkflowRoutes } from "./routes.ts";

const workflow = {
  id: WORKFLOW_ID,
  workspace_id: WORKSPACE_ID,
  agent_id: AGENT_ID,
  name: "weekly-report",
  version: 1,
  active_version: null,
  created_at: "2026-03-09T11:10:00.000Z",
  updated_at: "2026-03-09T11:10:00.000Z",
};

export const workspaceWorkflowExamples: ExamplesOf<typeof workspaceWorkflowRoutes> = {
  list: {
    answers: {
      200: {
        workspaceWorkflowList: { summary: "One workflow", value: { items: [workflow], next_cursor: "" } },
      },
    },
  },
  put: {
    body: {
      workflowToPut: {
        summary: "A prompt",
        value: { name: "weekly-report", prompt: "Write the report of this week." },
      },
    },
    answers: {
      200: { workspaceWorkflowVersion: { summary: "The next version", value: { ...workflow, version: 2 } } },
      201: { workspaceWorkflowMade: { summary: "A new workflow", value: workflow } },
    },
  },
  delete: { answers: { 200: { workspaceWorkflowDeleted: { summary: "It was there", value: workflow } } } },
};
