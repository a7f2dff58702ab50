// Examples of a workspace's runs. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { completedRun } from "../../runs/examples.ts";
import { AGENT_ID, COPY_ID, RUN_ID, THREAD_ID, WORKSPACE_ID } from "../../story.ts";
import type { workspaceRunRoutes } from "./routes.ts";

const run = { ...completedRun, workspace_id: WORKSPACE_ID, copy_id: COPY_ID };

export const workspaceRunExamples: ExamplesOf<typeof workspaceRunRoutes> = {
  list: {
    answers: { 200: { workspaceRunList: { summary: "One run", value: { items: [run], next_cursor: "" } } } },
  },
  submit: {
    body: {
      workspaceRunOfManager: { summary: "Of the manager", value: { message: "Plan the release." } },
      workspaceRunInCopy: {
        summary: "Of a member, in a copy",
        value: { message: "Fix the parser.", executor_agent_id: AGENT_ID, working_copy_id: COPY_ID },
      },
    },
    answers: {
      202: { workspaceRunQueued: { summary: "Queued", value: { run_id: RUN_ID, session_id: THREAD_ID } } },
    },
  },
};
