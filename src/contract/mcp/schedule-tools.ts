// The tools about schedules: what they take and what they answer. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { text } from "../fields.ts";
import { createScheduleRequestSchema, scheduleStatuses } from "../schedules/schedule.ts";
import { agentReferenceSchema } from "./agent-tools.ts";
import { fieldText, toolSchema } from "./tool-schema.ts";

export const MAX_LISTED_SCHEDULES = 50;
const DEFAULT_LISTED_SCHEDULES = 20;

const { prompt, fire_at, delay_seconds, session_id, metadata, idempotency_key } =
  createScheduleRequestSchema.shape;
const timestamp = z.iso.datetime();

export const toolScheduleSchema = z.object({
  id: z.uuid(),
  agent_id: z.uuid(),
  status: z.enum(scheduleStatuses),
  prompt: z.string(),
  fire_at: timestamp,
  thread_id: z.optional(z.uuid()),
  attempts: z.int(),
  created_at: timestamp,
  confirmed_at: z.optional(timestamp),
  last_fired_at: z.optional(timestamp),
  last_error: z.optional(z.string()),
  confirm_url: z.optional(z.string()),
});

export type ToolSchedule = z.infer<typeof toolScheduleSchema>;

const scheduleTexts = {
  id: "The schedule's id.",
  agent_id: "The agent that runs.",
  status:
    "Where the schedule stands. `awaiting_confirmation`: it fires only after its owner has confirmed it.",
  prompt: "The run's message; a long one is cut.",
  fire_at: "When it fires.",
  thread_id: "The session that the run continues.",
  attempts: "How often firing was tried.",
  created_at: "When it was made.",
  confirmed_at: "When the owner confirmed it.",
  last_fired_at: "When it fired.",
  last_error: "Why the last attempt failed.",
  confirm_url: "Where the owner confirms it, signed in. Give it to the user: no tool can confirm a schedule.",
} as const;

export const createScheduleTool = {
  input: toolSchema(
    strictObject({
      agent: agentReferenceSchema,
      prompt,
      fire_at,
      delay_seconds,
      session_id,
      metadata,
      idempotency_key,
    }),
    {
      agent: fieldText.agent,
      prompt: "The run's message.",
      fire_at: "When it fires, in UTC. Exactly one of fire_at and delay_seconds.",
      delay_seconds: "In how many seconds it fires.",
      session_id: "The session that the run continues. Left out: the agent's latest.",
      metadata: "Any JSON object, stored with the schedule.",
      idempotency_key: fieldText.key,
    },
  ),
  output: toolSchema(toolScheduleSchema, scheduleTexts),
} as const;

export const listSchedulesTool = {
  input: toolSchema(
    strictObject({
      agent: agentReferenceSchema,
      limit: z._default(
        z.int().check(z.minimum(1), z.maximum(MAX_LISTED_SCHEDULES)),
        DEFAULT_LISTED_SCHEDULES,
      ),
    }),
    { agent: fieldText.agent, limit: "Schedules at most." },
  ),
  output: toolSchema(z.object({ schedules: z.array(toolScheduleSchema), omitted: z.optional(z.int()) }), {
    schedules: ["Newest first.", scheduleTexts],
    omitted: "How many more there are; absent where these are all.",
  }),
} as const;

export const cancelScheduleTool = {
  input: toolSchema(strictObject({ agent: agentReferenceSchema, schedule_id: text(255) }), {
    agent: fieldText.agent,
    schedule_id: "The schedule's id.",
  }),
  output: toolSchema(toolScheduleSchema, scheduleTexts),
} as const;
