// The frames that a client sends over the session WebSocket. Apart from those of the service, which are all that a page's script
// has to know. Pure.

import * as z from "zod/mini";
import { extend, field, strictObject } from "../field.ts";
import { submitRunRequestSchema } from "../runs/run-requests.ts";
import { frameId, frameName, frameSeq, runCursorSchema } from "./socket.ts";

const askedCursorSchema = z.union([
  runCursorSchema,
  strictObject({
    run_id: field(frameName, "The run of the last event that was read."),
    seq: field(frameSeq, "The number of that event."),
  }),
]);

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
  run_id: field(z.optional(frameName), "The run to follow."),
  session_id: field(z.optional(frameName), "The session to follow, with each of its runs."),
  workspace_id: field(z.optional(frameName), "The workspace whose changes are told."),
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
  agent_id: field(frameName, "The agent that is to run."),
});

const cancelSchema = strictObject({
  type: asks("cancel"),
  id: field(frameId, "Names the frame in its answer, or the subscription."),
  agent_id: field(frameName, "The agent that is to run."),
  run_id: field(frameName, "The run."),
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
