// The session WebSocket, GET /v1/ws, and the frames that the service sends: one JSON object a text frame, told apart by `type`. A
// client ignores frames of a type, and fields, that it does not know. Pure.

import * as z from "zod/mini";
import { extend, field, object } from "../field.ts";
import { text } from "../fields.ts";
import { audiences } from "../problems/problem.ts";
import { runSchema } from "../runs/run.ts";
import { storedRunEventSchema } from "../runs/run-event.ts";
import { workspaceEventSchema } from "../workspaces/workspace-events.ts";

export const SOCKET_PATH = "/v1/ws";
export const MAX_FRAME_BYTES = 1024 * 1024;
export const MAX_SUBSCRIPTIONS = 64;
/** So many frames at once, and no more in a minute, are read of a socket: the rest waits. */
export const FRAMES_PER_MINUTE = 6_000;
/** The time that a socket has to authenticate itself. */
export const AUTH_SECONDS = 10;

/** Why the service closed a socket, beside RFC 6455's own codes. */
export const closeCodes = {
  /** It is text frames only. */
  unsupportedData: 1003,
  /** Answers are not read. */
  policyViolation: 1008,
  /** The service stops: connect again, and subscribe from the cursors that were told. */
  serviceRestart: 1012,
  /** The service cannot answer now: connect again later. */
  tryAgainLater: 1013,
  /** Not authenticated in time, or with a credential that is refused. */
  unauthorized: 4401,
  /** Authenticated too often, or for an account that has too many sockets: connect again later. */
  tooMany: 4429,
} as const;

export const frameId = z.string().check(z.minLength(1), z.maxLength(64));
export const frameName = text(255);
export const frameSeq = z.int().check(z.minimum(0));

/** The cursor of a subscription: the last `seq` read of a run or a workspace; in a session, of one of its runs. */
export const runCursorSchema = frameSeq;
export const sessionCursorSchema = object({
  run_id: field(frameName, "The run of the last event that was read."),
  seq: field(frameSeq, "The number of that event."),
});
const cursorSchema = z.union([runCursorSchema, sessionCursorSchema]);
/** A position in a session: a run, and the `seq` of its last event that is known. */
export type SessionCursor = z.infer<typeof sessionCursorSchema>;
/** Null: from the beginning; of a workspace, from now on. */
export type Cursor = z.infer<typeof cursorSchema> | null;

/** Why a subscription ended by itself or was ended. */
const unsubscribedReasons = ["ended", "asked", "refused", "unauthorized"] as const;

const resumeAfter = z.nullable(cursorSchema);

const says = <Name extends string>(name: Name) => field(z.literal(name), "What the frame says.");

const subscription = field(frameId, "The subscription that the frame belongs to.");

const runId = field(z.string(), "The run.");

const resumeAfterField = field(resumeAfter, "Where to subscribe again from.");

/** Every frame that the service sends. */
export const serverFrameSchema = z.discriminatedUnion("type", [
  /** The credential is good; until when, where it ends by itself. */
  object({
    type: says("ready"),
    expires_at: field(
      z.nullable(z.iso.datetime()),
      "When the credential ends; null where it does not end by itself.",
    ),
  }),
  object({ type: says("subscribed"), subscription }),
  /** A run as it stands: before its first event, and after its last. */
  object({ type: says("run"), subscription, run: field(runSchema, "The run as it stands.") }),
  extend(storedRunEventSchema, { type: says("event"), subscription, run_id: runId }),
  /** Where the events of a workspace go on. `missed`: some are no longer kept, so that everything has to be read again. */
  object({
    type: says("workspace"),
    subscription,
    workspace_id: field(z.string(), "The workspace."),
    seq: field(frameSeq, "The event's number."),
    missed: field(
      z.boolean(),
      "Whether events of the workspace behind `after` are no longer kept: read again what you know of it.",
    ),
  }),
  /** Something moved in a workspace: whoever shows it reads it again. */
  extend(workspaceEventSchema, {
    type: says("workspace_event"),
    subscription,
    workspace_id: field(z.string(), "The workspace."),
  }),
  object({
    type: says("unsubscribed"),
    subscription,
    reason: field(
      z.enum(unsubscribedReasons),
      "Why the subscription ended; or, of an error, a finer stable word.",
    ),
    resume_after: resumeAfterField,
  }),
  /** Ended, because its frames were not read for long. Subscribe again from there. */
  object({ type: says("slow"), subscription, resume_after: resumeAfterField }),
  /** Ended, because the service stops; the close follows. */
  object({ type: says("stopping"), subscription, resume_after: resumeAfterField }),
  object({
    type: says("submitted"),
    id: field(
      frameId,
      "The frame, or the subscription, that this answers; of a workspace's event, the thing that moved.",
    ),
    run_id: runId,
    session_id: field(z.string(), "The session's id."),
    replayed: field(z.boolean(), "True when an earlier request with the same key made this run."),
  }),
  object({
    type: says("cancelling"),
    id: field(
      frameId,
      "The frame, or the subscription, that this answers; of a workspace's event, the thing that moved.",
    ),
    run_id: runId,
  }),
  /** `id` is that of the frame, or of the subscription, that failed; absent where there is none to name. */
  object({
    type: says("error"),
    id: field(
      z.optional(z.string()),
      "The frame, or the subscription, that this answers; of a workspace's event, the thing that moved.",
    ),
    code: field(z.string(), "A stable word for the cause."),
    error: field(z.string(), "A message for people. Do not parse it."),
    request_id: field(z.string(), "Names the request in the service's log."),
    reason: field(
      z.optional(z.string()),
      "Why the subscription ended; or, of an error, a finer stable word.",
    ),
    audience: field(z.optional(z.enum(audiences)), "The kind of the account that has no credits."),
    claim_url: field(z.optional(z.nullable(z.string())), "Where an account claims the repository's agent."),
    retry_after_seconds: field(z.optional(z.int()), "Seconds to wait."),
  }),
]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;
