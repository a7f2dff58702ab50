// Examples of workers. Pure.

import type { ExamplesOf } from "../../examples.ts";
import {
  AGENT_ID,
  COPY_ID,
  LATER_REVISION_ID,
  RUN_ID,
  TASK_GROUP_ID,
  WORKER_ID,
  WORKSPACE_ID,
} from "../../story.ts";
import type { workerRoutes } from "./routes.ts";

const started = {
  id: WORKER_ID,
  workspace_id: WORKSPACE_ID,
  task_group_id: TASK_GROUP_ID,
  working_copy_id: COPY_ID,
  executor_agent_id: AGENT_ID,
  run_id: RUN_ID,
  run_status: "queued" as const,
  save_state: "none" as const,
  saved_revision_id: null,
  save_error: null,
  created_by: { type: "owner" as const },
  created_at: "2026-03-09T10:20:00.000Z",
  saved_at: null,
};

const saved = {
  ...started,
  run_status: "completed" as const,
  save_state: "saved" as const,
  saved_revision_id: LATER_REVISION_ID,
  saved_at: "2026-03-09T10:24:30.000Z",
};

export const workerExamples: ExamplesOf<typeof workerRoutes> = {
  list: {
    answers: { 200: { workerList: { summary: "One worker", value: { items: [saved], next_cursor: "" } } } },
  },
  start: {
    body: {
      workerOfTask: {
        summary: "In a new copy of the accepted revision",
        value: { task_group_id: TASK_GROUP_ID, message: "Translate docs/ into French." },
      },
    },
    answers: { 202: { workerStarted: { summary: "Queued", value: started } } },
  },
  get: { answers: { 200: { workerSaved: { summary: "Its changes are saved", value: saved } } } },
};
