// The routes of schedules, and their schemas by the names that the document gives them. Pure.

import { type Components, component, oneOf } from "../component.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, owners } from "../route.ts";
import { createScheduleRequestSchema, scheduleListSchema, scheduleSchema } from "./schedule.ts";

export const scheduleComponents: Components = {
  Schedule: component(scheduleSchema, "A run at a later time, once. A union on `status`."),
  ScheduleList: component(scheduleListSchema, "Schedules, newest first."),
  CreateScheduleRequest: component(
    createScheduleRequestSchema,
    "A run to schedule, at exactly one of `fire_at` and `delay_seconds`.",
    oneOf("fire_at", "delay_seconds"),
  ),
};

const MAX_BODY_BYTES = 1024 * 1024;

export const scheduleRoutes = nounRoutes("schedules", "Schedules", {
  create: defineRoute("POST /v1/agents/{agentID}/schedules", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: scheduleSchema,
    scopes: ["schedules:write"],
    summary: "Schedule one run",
    description:
      "Exactly one of `fire_at` and `delay_seconds`. What an AI client schedules waits for the owner at `confirm_url`. Without `session_id` the run continues the agent's latest session.",
    body: jsonBody(createScheduleRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The schedule." },
    refusals: [409],
  }),
  list: defineRoute("GET /v1/agents/{agentID}/schedules", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: scheduleListSchema,
    scopes: ["agents:read"],
    summary: "List an agent's schedules, newest first",
    answers: { 200: "The schedules." },
  }),
  get: defineRoute("GET /v1/agents/{agentID}/schedules/{scheduleID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: scheduleSchema,
    scopes: ["agents:read"],
    summary: "Read a schedule",
    description: "`done` says that its run has ended, not how: read the run for that.",
    answers: { 200: "The schedule." },
  }),
  /**
   * Safe to repeat, but a second cancellation is ApiError `not_found`: also when the answer to the first was lost and
   * this method asked again.
   */
  cancel: defineRoute("DELETE /v1/agents/{agentID}/schedules/{scheduleID}", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: scheduleSchema,
    scopes: ["schedules:write"],
    summary: "Cancel a schedule that has not fired",
    description: "404 also when it has fired already: cancel its run then.",
    answers: { 200: "The cancelled schedule." },
  }),
  confirm: defineRoute("POST /v1/agents/{agentID}/schedules/{scheduleID}/confirm", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: scheduleSchema,
    summary: "Confirm a schedule that an AI client made, so that it fires",
    description: "Only the owner may: an AI client gets 403 with a link for the owner. Safe to repeat.",
    answers: { 200: "The schedule." },
    refusals: [409],
  }),
});
