// The frames of the session WebSocket, GET /v1/ws: one JSON object a text frame, told apart by `type`. A client
// ignores frames of a type, and fields, that it does not know. Pure.

import * as z from "zod/mini";
import { extend, field, object, strictObject } from "../field.ts";
import { text } from "../fields.ts";
import { audiences } from "../problems/problem.ts";
import { runSchema } from "../runs/run.ts";
import { storedRunEventSchema } from "../runs/run-event.ts";
import { submitRunRequestSchema } from "../runs/run-requests.ts";
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

const frameId = z.string().check(z.minLength(1), z.maxLength(64));
const name = text(255);
const seq = z.int().check(z.minimum(0));

/** The cursor of a subscription: the last `seq` read of a run or a workspace; in a session, of one of its runs. */
export const runCursorSchema = seq;
export const sessionCursorSchema = object({
  run_id: field(name, "The run of the last event that was read."),
  seq: field(seq, "The number of that event."),
});
const cursorSchema = z.union([runCursorSchema, sessionCursorSchema]);
const askedCursorSchema = z.union([
  runCursorSchema,
  strictObject({
    run_id: field(name, "The run of the last event that was read."),
    seq: field(seq, "The number of that event."),
  }),
]);
export type SessionCursor = z.infer<typeof sessionCursorSchema>;
/** Null: from the beginning; of a workspace, from now on. */
export type Cursor = z.infer<typeof cursorSchema> | null;

const asks = <Name extends string>(name: Name) => field(z.literal(name), "What the frame asks for.");

const authSchema = strictObject({
  type: asks("auth"),
  token: field(z.string().check(z.maxLength(4096)), "The bearer credential."),
});

/**
 * A run's `after` is a number, and so is a workspace's; a session's is `{run_id, seq}`. `id` names the subscription from here
 * on.
 */
export const subscribeFrameSchema = strictObject({
  type: field(z.literal("subscribe"), "Always `subscribe`."),
  id: field(frameId, "Names the subscription from here on."),
  run_id: field(z.optional(name), "The run to follow."),
  session_id: field(z.optional(name), "The session to follow, with each of its runs."),
  workspace_id: field(z.optional(name), "The workspace whose changes are told."),
  after: field(
    z.optional(z.nullable(askedCursorSchema)),
    "Where to begin: for a run or a workspace a `seq`, for a session `run_id` and `seq`. Null or left out: the beginning; of a workspace, what moves from now on.",
  ),
}).check(
  z.refine(
    ({ run_id, session_id, workspace_id }) =>
      [run_id, session_id, workspace_id].filter((id) => id !== undefined).length === 1,
    'exactly one of "run_id", "session_id" and "workspace_id" is required',
  ),
  z.refine(
    ({ session_id, after }) => after == null || (typeof after === "number") === (session_id === undefined),
    '"after" is a number for a run or a workspace, {run_id, seq} for a session',
  ),
);

const unsubscribeSchema = strictObject({
  type: asks("unsubscribe"),
  id: field(frameId, "Names the frame in its answer, or the subscription."),
});

export const submitFrameSchema = extend(submitRunRequestSchema, {
  type: field(z.literal("submit"), "Always `submit`."),
  id: field(frameId, "Names the frame in its answer."),
  agent_id: field(name, "The agent that is to run."),
});

const cancelSchema = strictObject({
  type: asks("cancel"),
  id: field(frameId, "Names the frame in its answer, or the subscription."),
  agent_id: field(name, "The agent that is to run."),
  run_id: field(name, "The run."),
});

/** Every frame that a client sends. */
export const clientFrameSchema = z.discriminatedUnion("type", [
  authSchema,
  subscribeFrameSchema,
  unsubscribeSchema,
  submitFrameSchema,
  cancelSchema,
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;
export type SubscribeFrame = z.infer<typeof subscribeFrameSchema>;
export type SubmitFrame = z.infer<typeof submitFrameSchema>;
export type CancelFrame = z.infer<typeof cancelSchema>;

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
    seq: field(seq, "The event's number."),
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
