// The frames of the session WebSocket, GET /v1/ws: one JSON object a text frame, told apart by `type`. A client
// ignores frames of a type, and fields, that it does not know. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
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
/** What a socket is given to authenticate itself. */
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

/** Where a subscription stands: the last `seq` read of a run or a workspace; in a session, of one of its runs. */
export const runCursorSchema = seq;
export const sessionCursorSchema = z.object({ run_id: name, seq });
const cursorSchema = z.union([runCursorSchema, sessionCursorSchema]);
const askedCursorSchema = z.union([runCursorSchema, strictObject({ run_id: name, seq })]);
export type SessionCursor = z.infer<typeof sessionCursorSchema>;
/** Null: from the beginning; of a workspace, from now on. */
export type Cursor = z.infer<typeof cursorSchema> | null;

const authSchema = strictObject({ type: z.literal("auth"), token: z.string().check(z.maxLength(4096)) });

/**
 * A run's `after` is a number, and so is a workspace's; a session's is `{run_id, seq}`. `id` names the subscription from here
 * on.
 */
export const subscribeFrameSchema = strictObject({
  type: z.literal("subscribe"),
  id: frameId,
  run_id: z.optional(name),
  session_id: z.optional(name),
  workspace_id: z.optional(name),
  after: z.optional(z.nullable(askedCursorSchema)),
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

const unsubscribeSchema = strictObject({ type: z.literal("unsubscribe"), id: frameId });

export const submitFrameSchema = z.extend(submitRunRequestSchema, {
  type: z.literal("submit"),
  id: frameId,
  agent_id: name,
});

const cancelSchema = strictObject({ type: z.literal("cancel"), id: frameId, agent_id: name, run_id: name });

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
export const unsubscribedReasons = ["ended", "asked", "refused", "unauthorized"] as const;

const resumeAfter = z.nullable(cursorSchema);

/** Every frame that the service sends. */
export const serverFrameSchema = z.discriminatedUnion("type", [
  /** The credential is good; until when, where it ends by itself. */
  z.object({ type: z.literal("ready"), expires_at: z.nullable(z.iso.datetime()) }),
  z.object({ type: z.literal("subscribed"), subscription: frameId }),
  /** A run as it stands: before its first event, and after its last. */
  z.object({ type: z.literal("run"), subscription: frameId, run: runSchema }),
  z.extend(storedRunEventSchema, { type: z.literal("event"), subscription: frameId, run_id: z.string() }),
  /** Where the events of a workspace go on. `missed`: some are no longer kept, so that everything has to be read again. */
  z.object({
    type: z.literal("workspace"),
    subscription: frameId,
    workspace_id: z.string(),
    seq,
    missed: z.boolean(),
  }),
  /** Something moved in a workspace: whoever shows it reads it again. */
  z.extend(workspaceEventSchema, {
    type: z.literal("workspace_event"),
    subscription: frameId,
    workspace_id: z.string(),
  }),
  z.object({
    type: z.literal("unsubscribed"),
    subscription: frameId,
    reason: z.enum(unsubscribedReasons),
    resume_after: resumeAfter,
  }),
  /** Ended, because its frames were not read for long. Subscribe again from there. */
  z.object({ type: z.literal("slow"), subscription: frameId, resume_after: resumeAfter }),
  /** Ended, because the service stops; the close follows. */
  z.object({ type: z.literal("stopping"), subscription: frameId, resume_after: resumeAfter }),
  z.object({
    type: z.literal("submitted"),
    id: frameId,
    run_id: z.string(),
    session_id: z.string(),
    /** True when an earlier request with the same key made this run. */
    replayed: z.boolean(),
  }),
  z.object({ type: z.literal("cancelling"), id: frameId, run_id: z.string() }),
  /** `id` is that of the frame, or of the subscription, that failed; absent where there is none to name. */
  z.object({
    type: z.literal("error"),
    id: z.optional(z.string()),
    code: z.string(),
    error: z.string(),
    request_id: z.string(),
    reason: z.optional(z.string()),
    audience: z.optional(z.enum(audiences)),
    claim_url: z.optional(z.nullable(z.string())),
    retry_after_seconds: z.optional(z.int()),
  }),
]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;
