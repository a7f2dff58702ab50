// The routes of a workspace's schedules. Pure.

import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import { createScheduleRequestSchema, scheduleSchema } from "../../schedules/schedule.ts";
import { pageQueryTexts } from "../record.ts";
import { listWorkspaceSchedulesQuerySchema, workspaceScheduleListSchema } from "./workspace-schedule.ts";

/** As of an agent's schedules. */
const MAX_BODY_BYTES = 1024 * 1024;

export const workspaceScheduleRoutes = nounRoutes("workspaceSchedules", "Workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/schedules", {
    callers: accounts,
    repeat: "safe",
    answer: workspaceScheduleListSchema,
    summary: "List the schedules of a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listWorkspaceSchedulesQuerySchema, pageQueryTexts),
    answers: { 200: "A page of schedules." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/schedules", {
    callers: accounts,
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
    repeat: "safe",
    answer: scheduleSchema,
    summary: "Read a schedule of a workspace",
    scopes: ["workspaces:read"],
    answers: { 200: "The schedule." },
  }),
  cancel: defineRoute("DELETE /v1/workspaces/{workspaceID}/schedules/{scheduleID}", {
    callers: accounts,
    repeat: "safe",
    answer: scheduleSchema,
    summary: "Cancel a schedule of a workspace that has not fired",
    description: "404 also when it has fired already: cancel its run then.",
    scopes: ["workspaces:write", "schedules:write"],
    answers: { 200: "The cancelled schedule." },
  }),
});
