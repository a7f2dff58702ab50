// What the fields of the session WebSocket's frames mean. Pure.

import { type Components, component, oneOf } from "../component.ts";
import { submitRunFields } from "../runs/components.ts";
import {
  clientFrameSchema,
  serverFrameSchema,
  sessionCursorSchema,
  submitFrameSchema,
  subscribeFrameSchema,
} from "./socket.ts";

const submitFields = {
  ...submitRunFields,
  type: "Always `submit`.",
  id: "Names the frame in its answer.",
  agent_id: "The agent that is to run.",
} as const;
const cursorFields = {
  run_id: "The run of the last event that was read.",
  seq: "The number of that event.",
} as const;
const subscribeFields = {
  type: "Always `subscribe`.",
  id: "Names the subscription from here on.",
  run_id: "The run to follow.",
  session_id: "The session to follow, with each of its runs.",
  workspace_id: "The workspace whose changes are told.",
  after: [
    "Where to begin: for a run or a workspace a `seq`, for a session `run_id` and `seq`. Null or left out: the beginning; of a workspace, what moves from now on.",
    cursorFields,
  ],
} as const;

export const sessionComponents: Components = {
  SocketClientFrame: component(clientFrameSchema, "A frame that a client sends. A union on `type`.", {
    ...submitFields,
    ...subscribeFields,
    type: "What the frame asks for.",
    id: "Names the frame in its answer, or the subscription.",
    token: "The bearer credential.",
    run_id: "The run.",
  }),
  SubmitFrame: component(submitFrameSchema, "Queues a run.", submitFields, oneOf("message", "messages")),
  SubscribeFrame: component(
    subscribeFrameSchema,
    "Begins a subscription of exactly one run, session or workspace.",
    subscribeFields,
    oneOf("run_id", "session_id", "workspace_id"),
  ),
  SessionCursor: component(sessionCursorSchema, "Where a reader of a session stands.", cursorFields),
  SocketServerFrame: component(serverFrameSchema, "A frame that the service sends. A union on `type`.", {
    type: "What the frame says.",
    expires_at: "When the credential ends; null where it does not end by itself.",
    subscription: "The subscription that the frame belongs to.",
    run: "The run as it stands.",
    workspace_id: "The workspace.",
    seq: "The event's number.",
    missed:
      "Whether events of the workspace behind `after` are no longer kept: read again what you know of it.",
    at: "When the event was stored.",
    event: "The event.",
    what: "What moved in the workspace: `copy`, `revision`, `changeset`, `worker` or `task_group`. Others may come.",
    state: "How it stands since.",
    run_id: "The run.",
    reason: "Why the subscription ended; or, of an error, a finer stable word.",
    resume_after: "Where to subscribe again from.",
    id: "The frame, or the subscription, that this answers; of a workspace's event, the thing that moved.",
    session_id: "The session's id.",
    replayed: "True when an earlier request with the same key made this run.",
    code: "A stable word for the cause.",
    error: "A message for people. Do not parse it.",
    request_id: "Names the request in the service's log.",
    audience: "The kind of the account that has no credits.",
    claim_url: "Where an account claims the repository's agent.",
    retry_after_seconds: "Seconds to wait.",
  }),
};
