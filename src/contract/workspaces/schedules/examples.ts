// Examples of a workspace's schedules. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { scheduleExamples } from "../../schedules/examples.ts";
import { AGENT_ID, SCHEDULE_ID, WORKSPACE_ID } from "../../story.ts";
import type { workspaceScheduleRoutes } from "./routes.ts";

const schedule = {
  id: SCHEDULE_ID,
  agent_id: AGENT_ID,
  workspace_id: WORKSPACE_ID,
  kind: "once" as const,
  prompt: "Summarise what was accepted this week.",
  fire_at: "2026-03-10T08:00:00.000Z",
  metadata: {},
  attempts: 0,
  created_at: "2026-03-09T10:05:00.000Z",
  status: "pending" as const,
};

export const workspaceScheduleExamples: ExamplesOf<typeof workspaceScheduleRoutes> = {
  list: {
    answers: {
      200: {
        workspaceScheduleList: { summary: "One schedule", value: { items: [schedule], next_cursor: "" } },
      },
    },
  },
  create: {
    body: scheduleExamples.create.body,
    answers: { 201: { workspaceScheduleMade: { summary: "It waits for its time", value: schedule } } },
  },
  get: { answers: { 200: { workspaceSchedule: { summary: "It waits for its time", value: schedule } } } },
  cancel: {
    answers: {
      200: {
        workspaceScheduleCancelled: {
          summary: "It will not fire",
          value: { ...schedule, status: "cancelled" },
        },
      },
    },
  },
};
