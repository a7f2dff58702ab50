// A deferred one-shot run and its routes under /v1/agents/{agentID}/schedules. A schedule is a union on `status`. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { bodyKey, boundedObject, hasNoNul, isWellFormed, text } from "../fields.ts";

/** A year. */
export const MAX_DELAY_SECONDS = 365 * 24 * 60 * 60;
/** Of the metadata as JSON. */
const MAX_METADATA_BYTES = 16 * 1024;
const MAX_METADATA_DEPTH = 64;

export const scheduleStatuses = [
  "awaiting_confirmation",
  "pending",
  "firing",
  "dispatched",
  "done",
  "cancelled",
  "failed",
] as const;
export type ScheduleStatus = (typeof scheduleStatuses)[number];

const timestamp = z.iso.datetime();
const metadataSchema = z.record(z.string(), z.unknown());

const common = {
  id: field(z.uuid(), "The schedule's id."),
  agent_id: field(z.uuid(), "The agent that runs."),
  workspace_id: field(
    z.optional(z.uuid()),
    "The workspace that runs; absent where it is the agent's alone, and in the agent's list.",
  ),
  kind: field(z.literal("once"), "Always `once`."),
  prompt: field(z.string(), "The run's message."),
  fire_at: field(timestamp, "When it fires."),
  thread_id: field(z.optional(z.uuid()), "The session that the run continues."),
  metadata: field(metadataSchema, "What its creator stored with it."),
  attempts: field(z.int(), "How often firing was tried."),
  created_at: field(timestamp, "When it was made."),
  made_by: field(
    z.optional(z.uuid()),
    "The person who made it, or for whom an AI client did. Its run is theirs. Absent where nobody is known.",
  ),
};
const confirmed = {
  confirmed_at: field(z.optional(timestamp), "When the owner confirmed it; absent where nobody did."),
};
const tried = { last_error: field(z.optional(z.string()), "Why the last attempt failed.") };
const fired = { last_fired_at: field(timestamp, "When it fired.") };

const status = <Name extends string>(name: Name) => field(z.literal(name), "Where the schedule stands.");

export const scheduleSchema = z.discriminatedUnion("status", [
  object({
    status: status("awaiting_confirmation"),
    ...common,
    confirm_url: field(z.url(), "Where the owner confirms it."),
    approve_url: field(z.url(), "Where the owner approves or denies it, with what it is."),
  }),
  object({ status: status("pending"), ...common, ...confirmed, ...tried }),
  object({ status: status("firing"), ...common, ...confirmed, ...tried }),
  object({ status: status("dispatched"), ...common, ...confirmed, ...tried, ...fired }),
  object({ status: status("done"), ...common, ...confirmed, ...tried, ...fired }),
  object({ status: status("cancelled"), ...common, ...confirmed, ...tried }),
  object({
    status: status("failed"),
    ...common,
    ...confirmed,
    last_error: field(z.string(), "Why the last attempt failed."),
  }),
]);

/** A submission that runs later: once, or again and again. A union on `status`. */
export type Schedule = z.infer<typeof scheduleSchema>;

export const scheduleListSchema = z.array(scheduleSchema);

const isUtc = z.refine<string>(
  (time) => /(?:Z|[+-]00:00)$/.test(time),
  "must be in UTC, such as …T10:00:00Z",
);
const namesOneTime = z.refine<{ fire_at?: string | undefined; delay_seconds?: number | undefined }>(
  (body) => (body.fire_at === undefined) !== (body.delay_seconds === undefined),
  'exactly one of "fire_at" and "delay_seconds" is required',
);

/** Exactly one of `fire_at` and `delay_seconds` is needed. */
export const createScheduleRequestSchema = strictObject({
  prompt: field(z.string().check(z.minLength(1), hasNoNul, isWellFormed), "The run's message."),
  fire_at: field(z.optional(z.iso.datetime({ offset: true }).check(isUtc)), "When it fires, in UTC."),
  delay_seconds: field(
    z.optional(z.int().check(z.minimum(1), z.maximum(MAX_DELAY_SECONDS))),
    "In how many seconds it fires.",
  ),
  session_id: field(
    z.optional(text(255)),
    "The session that the run continues. Left out: the agent's latest.",
  ),
  metadata: field(
    z.optional(boundedObject({ maxBytes: MAX_METADATA_BYTES, maxDepth: MAX_METADATA_DEPTH })),
    "Any JSON object, stored with the schedule.",
  ),
  ...bodyKey,
}).check(namesOneTime);

/** The body of `schedules.create`: when, and what is submitted then. */
export type CreateScheduleRequest = z.infer<typeof createScheduleRequestSchema>;
