// What the fields of schedules mean. Pure.

import { type Components, collection, component, oneOf } from "../component.ts";
import { createScheduleRequestSchema, scheduleListSchema, scheduleSchema } from "./schedule.ts";

export const scheduleComponents: Components = {
  Schedule: component(scheduleSchema, "A run at a later time, once. A union on `status`.", {
    status: "Where the schedule stands.",
    id: "The schedule's id.",
    agent_id: "The agent that runs.",
    workspace_id: "The workspace that runs; absent where it is the agent's alone, and in the agent's list.",
    kind: "Always `once`.",
    prompt: "The run's message.",
    fire_at: "When it fires.",
    thread_id: "The session that the run continues.",
    metadata: "What its creator stored with it.",
    attempts: "How often firing was tried.",
    created_at: "When it was made.",
    confirmed_at: "When the owner confirmed it; absent where nobody did.",
    confirm_url: "Where the owner confirms it.",
    approve_url: "Where the owner approves or denies it, with what it is.",
    last_error: "Why the last attempt failed.",
    last_fired_at: "When it fired.",
  }),
  ScheduleList: collection(scheduleListSchema, "Schedules, newest first."),
  CreateScheduleRequest: component(
    createScheduleRequestSchema,
    "A run to schedule, at exactly one of `fire_at` and `delay_seconds`.",
    {
      prompt: "The run's message.",
      fire_at: "When it fires, in UTC.",
      delay_seconds: "In how many seconds it fires.",
      session_id: "The session that the run continues. Left out: the agent's latest.",
      metadata: "Any JSON object, stored with the schedule.",
      idempotency_key: "Makes the request safe to repeat for 24 hours. A header that is not empty wins.",
    },
    oneOf("fire_at", "delay_seconds"),
  ),
};
