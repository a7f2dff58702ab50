// A deferred one-shot run and its routes under /v1/agents/{agentID}/schedules. A schedule is a union on `status`. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { bodyKey, boundedObject, hasNoNul, isWellFormed, text } from "../fields.ts";

/** A year. */
export const MAX_DELAY_SECONDS = 365 * 24 * 60 * 60;
/** Of the metadata as JSON. */
export const MAX_METADATA_BYTES = 16 * 1024;
export const MAX_METADATA_DEPTH = 64;

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
  id: z.uuid(),
  agent_id: z.uuid(),
  /** Absent where it is no workspace's. */
  workspace_id: z.optional(z.uuid()),
  kind: z.literal("once"),
  prompt: z.string(),
  fire_at: timestamp,
  thread_id: z.optional(z.uuid()),
  metadata: metadataSchema,
  attempts: z.int(),
  created_at: timestamp,
};
const confirmed = { confirmed_at: z.optional(timestamp) };
const tried = { last_error: z.optional(z.string()) };
const fired = { last_fired_at: timestamp };

export const scheduleSchema = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("awaiting_confirmation"),
    ...common,
    confirm_url: z.url(),
    approve_url: z.url(),
  }),
  z.object({ status: z.literal("pending"), ...common, ...confirmed, ...tried }),
  z.object({ status: z.literal("firing"), ...common, ...confirmed, ...tried }),
  z.object({ status: z.literal("dispatched"), ...common, ...confirmed, ...tried, ...fired }),
  z.object({ status: z.literal("done"), ...common, ...confirmed, ...tried, ...fired }),
  z.object({ status: z.literal("cancelled"), ...common, ...confirmed, ...tried }),
  z.object({ status: z.literal("failed"), ...common, ...confirmed, last_error: z.string() }),
]);

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
  prompt: z.string().check(z.minLength(1), hasNoNul, isWellFormed),
  fire_at: z.optional(z.iso.datetime({ offset: true }).check(isUtc)),
  delay_seconds: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_DELAY_SECONDS))),
  session_id: z.optional(text(255)),
  metadata: z.optional(boundedObject({ maxBytes: MAX_METADATA_BYTES, maxDepth: MAX_METADATA_DEPTH })),
  ...bodyKey,
}).check(namesOneTime);

export type CreateScheduleRequest = z.infer<typeof createScheduleRequestSchema>;
