// Examples of task groups. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { AGENT_ID, CHANGESET_ID, settled, TASK_GROUP_ID, WORKSPACE_ID } from "../../story.ts";
import type { taskGroupRoutes } from "./routes.ts";

const none = {
  by_run_status: { queued: 0, running: 0, cancelling: 0, completed: 0, failed: 0, cancelled: 0 },
  by_save_state: { none: 0, saving: 0, saved: 0, unchanged: 0, failed: 0 },
};

const made = {
  id: TASK_GROUP_ID,
  workspace_id: WORKSPACE_ID,
  name: "Translate the docs",
  status: "open" as const,
  budget_credits: 600,
  max_workers: 10,
  workers: { total: 0, ...none },
  changeset_ids: [],
  created_by: { type: "owner" as const },
  created_at: "2026-03-09T10:19:00.000Z",
  stopped_at: null,
};

const done = {
  ...made,
  workers: {
    total: 10,
    by_run_status: { ...none.by_run_status, completed: 10 },
    by_save_state: { ...none.by_save_state, saved: 9, unchanged: 1 },
  },
  changeset_ids: [CHANGESET_ID],
};

const sums = {
  credits: settled.credits,
  tokens: settled.tokens,
  gross_micro_usd: settled.gross_micro_usd,
  refunded_micro_usd: 0,
  runs: 1,
};

export const taskGroupExamples: ExamplesOf<typeof taskGroupRoutes> = {
  list: {
    answers: {
      200: { taskGroupList: { summary: "One task group", value: { items: [done], next_cursor: "" } } },
    },
  },
  create: {
    body: {
      taskGroupBudget: {
        summary: "With a budget",
        value: { name: "Translate the docs", budget_credits: 600 },
      },
    },
    answers: { 201: { taskGroupMade: { summary: "Without workers yet", value: made } } },
  },
  get: { answers: { 200: { taskGroup: { summary: "Ten workers are done", value: done } } } },
  costs: {
    answers: {
      200: {
        taskGroupCosts: {
          summary: "Of one run",
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
  stop: {
    answers: {
      202: {
        taskGroupStopped: {
          summary: "Stopped",
          value: { ...done, status: "stopped", stopped_at: "2026-03-09T10:30:00.000Z" },
        },
      },
    },
  },
};
