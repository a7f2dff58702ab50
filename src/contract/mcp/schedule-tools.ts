// The tools about schedules: what they take and what they answer. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { text } from "../fields.ts";
import { createScheduleRequestSchema, scheduleStatuses } from "../schedules/schedule.ts";
import { agentReferenceSchema } from "./agent-tools.ts";
import { toolSchema } from "./tool-schema.ts";

export const MAX_LISTED_SCHEDULES = 50;
const DEFAULT_LISTED_SCHEDULES = 20;

const { prompt, fire_at, delay_seconds, session_id, metadata, idempotency_key } =
  createScheduleRequestSchema.shape;
const timestamp = z.iso.datetime();

export const toolScheduleSchema = object({
  id: field(z.uuid(), "The schedule's id."),
  agent_id: field(z.uuid(), "The agent that runs."),
  status: field(
    z.enum(scheduleStatuses),
    "Where the schedule stands. `awaiting_confirmation`: it fires only after its owner has confirmed it.",
  ),
  prompt: field(z.string(), "The run's message; a long one is cut."),
  fire_at: field(timestamp, "When it fires."),
  thread_id: field(z.optional(z.uuid()), "The session that the run continues."),
  attempts: field(z.int(), "How often firing was tried."),
  created_at: field(timestamp, "When it was made."),
  confirmed_at: field(z.optional(timestamp), "When the owner confirmed it."),
  last_fired_at: field(z.optional(timestamp), "When it fired."),
  last_error: field(z.optional(z.string()), "Why the last attempt failed."),
  confirm_url: field(
    z.optional(z.string()),
    "Where the owner confirms it, signed in. Give it to the user: no tool can confirm a schedule.",
  ),
});

export type ToolSchedule = z.infer<typeof toolScheduleSchema>;

const agent = field(agentReferenceSchema, "The agent: its id, or its name.");

export const createScheduleTool = {
  input: toolSchema(
    strictObject({
      agent,
      prompt: field(prompt, "The run's message."),
      fire_at: field(fire_at, "When it fires, in UTC. Exactly one of fire_at and delay_seconds."),
      delay_seconds: field(delay_seconds, "In how many seconds it fires."),
      session_id: field(session_id, "The session that the run continues. Left out: the agent's latest."),
      metadata: field(metadata, "Any JSON object, stored with the schedule."),
      idempotency_key: field(
        idempotency_key,
        "Makes the call safe to repeat for 24 hours: the same key gives the same run. Without it each call starts a run, also one that repeats a call whose answer was lost.",
      ),
    }),
  ),
  output: toolSchema(toolScheduleSchema),
} as const;

export const listSchedulesTool = {
  input: toolSchema(
    strictObject({
      agent,
      limit: field(
        z._default(z.int().check(z.minimum(1), z.maximum(MAX_LISTED_SCHEDULES)), DEFAULT_LISTED_SCHEDULES),
        "Schedules at most.",
      ),
    }),
  ),
  output: toolSchema(
    object({
      schedules: field(z.array(toolScheduleSchema), "Newest first."),
      omitted: field(z.optional(z.int()), "How many more there are; absent where these are all."),
    }),
  ),
} as const;

export const cancelScheduleTool = {
  input: toolSchema(strictObject({ agent, schedule_id: field(text(255), "The schedule's id.") })),
  output: toolSchema(toolScheduleSchema),
} as const;
