// Schedules, in the OpenAPI document. Pure.

import { agentId, answer, apiKey, json, scheduleId } from "./parts.ts";
import { problems } from "./problem-answers.ts";

export const schedulePaths = {
  "/v1/agents/{agentId}/schedules": {
    post: {
      operationId: "createSchedule",
      tags: ["Schedules"],
      summary: "Schedule one run",
      description:
        "Exactly one of `fire_at` and `delay_seconds`. What an AI client schedules waits for the owner at `confirm_url`. Without `session_id` the run continues the agent's latest session.",
      security: apiKey,
      parameters: [agentId],
      requestBody: {
        required: true,
        ...json("CreateScheduleRequest", "scheduleAtTime", "scheduleAfterDelay"),
      },
      responses: {
        201: answer("The schedule.", "Schedule", "schedulePending", "scheduleAwaitingConfirmation"),
        ...problems(400, 401, 403, 404, 413, 415, 429),
      },
    },
    get: {
      operationId: "listSchedules",
      tags: ["Schedules"],
      summary: "An agent's schedules, newest first",
      security: apiKey,
      parameters: [agentId],
      responses: {
        200: answer("The schedules.", "ScheduleList", "scheduleList"),
        ...problems(401, 403, 404, 429),
      },
    },
  },
  "/v1/agents/{agentId}/schedules/{scheduleId}": {
    get: {
      operationId: "getSchedule",
      tags: ["Schedules"],
      summary: "A schedule",
      description: "`done` says that its run has ended, not how: the run says that.",
      security: apiKey,
      parameters: [agentId, scheduleId],
      responses: {
        200: answer("The schedule.", "Schedule", "scheduleDone"),
        ...problems(401, 403, 404, 429),
      },
    },
    delete: {
      operationId: "cancelSchedule",
      tags: ["Schedules"],
      summary: "Cancel a schedule that was not fired",
      description: "404 also when it was fired already: cancel its run then.",
      security: apiKey,
      parameters: [agentId, scheduleId],
      responses: {
        200: answer("The cancelled schedule.", "Schedule", "scheduleCancelled"),
        ...problems(401, 403, 404, 429),
      },
    },
  },
  "/v1/agents/{agentId}/schedules/{scheduleId}/confirm": {
    post: {
      operationId: "confirmSchedule",
      tags: ["Schedules"],
      summary: "Let a schedule fire that an AI client made",
      description: "The owner's alone: an AI client gets 403 with a link for the owner. Safe to repeat.",
      security: apiKey,
      parameters: [agentId, scheduleId],
      responses: {
        200: answer("The schedule.", "Schedule", "scheduleConfirmed"),
        ...problems(401, 403, 404, 409, 429),
      },
    },
  },
} as const;
