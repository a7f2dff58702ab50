// Examples of workflows. Pure.

import type { ExamplesOf } from "../examples.ts";
import { AGENT_ID, RUN_ID, THREAD_ID, WORKFLOW_ID } from "../story.ts";
import type { workflowRoutes } from "./routes.ts";

export const workflowExamples: ExamplesOf<typeof workflowRoutes> = {
  activate: {
    body: { activateWorkflow: { summary: "A version", value: { version: 2 } } },
    answers: {
      200: {
        workflow: {
          summary: "Version 2 is active",
          value: {
            id: WORKFLOW_ID,
            agent_id: AGENT_ID,
            name: "weekly-report",
            version: 2,
            active_version: 2,
            created_at: "2026-03-02T09:20:00.000Z",
            updated_at: "2026-03-09T08:00:00.000Z",
          },
        },
      },
    },
  },
  execute: {
    body: {
      executeWorkflow: {
        summary: "With an input",
        value: { input: "Week 11, only the pull requests that are open." },
      },
    },
    answers: {
      202: {
        workflowExecuted: {
          summary: "Its run is queued",
          value: { run_id: RUN_ID, session_id: THREAD_ID, version: 2 },
        },
      },
    },
  },
};
