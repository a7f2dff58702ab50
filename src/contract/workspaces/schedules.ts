// The schedules of a workspace, under /v1/workspaces/{workspaceID}/schedules. Pure.

import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { strictObject } from "../field.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../route.ts";
import { scheduleExamples } from "../schedules/examples.ts";
import { createScheduleRequestSchema, scheduleSchema } from "../schedules/schedule.ts";
import { AGENT_ID, SCHEDULE_ID, WORKSPACE_ID } from "../story.ts";
import { listOf, pageQuery } from "./record.ts";

export const workspaceScheduleListSchema = listOf(scheduleSchema, "The schedules.");

export const listWorkspaceSchedulesQuerySchema = strictObject(pageQuery);

export const workspaceScheduleComponents: Components = {
  WorkspaceScheduleList: component(workspaceScheduleListSchema, "A page of schedules, newest first."),
};

/** As of an agent's schedules. */
const MAX_BODY_BYTES = 1024 * 1024;

export const workspaceScheduleRoutes = nounRoutes("workspaceSchedules", "Work in workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/schedules", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: workspaceScheduleListSchema,
    summary: "List the schedules of a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listWorkspaceSchedulesQuerySchema),
    answers: { 200: "A page of schedules." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/schedules", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: scheduleSchema,
    summary: "Schedule one run of a workspace",
    description:
      "The workspace's manager runs, with the files that are accepted by then. Exactly one of `fire_at` and `delay_seconds`. What an AI client schedules waits for the owner at `confirm_url`. `session_id` names a session of the workspace; without it the run begins one.",
    scopes: ["workspaces:write", "schedules:write"],
    body: jsonBody(createScheduleRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The schedule." },
    refusals: [409],
  }),
  get: defineRoute("GET /v1/workspaces/{workspaceID}/schedules/{scheduleID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: scheduleSchema,
    summary: "Read a schedule of a workspace",
    scopes: ["workspaces:read"],
    answers: { 200: "The schedule." },
  }),
  cancel: defineRoute("DELETE /v1/workspaces/{workspaceID}/schedules/{scheduleID}", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: scheduleSchema,
    summary: "Cancel a schedule of a workspace that has not fired",
    description: "404 also when it has fired already: cancel its run then.",
    scopes: ["workspaces:write", "schedules:write"],
    answers: { 200: "The cancelled schedule." },
  }),
});

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
