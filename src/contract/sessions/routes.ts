// The session WebSocket as a route, and its frames by the names that the document gives them. Pure.

import { type Components, component, oneOf } from "../component.ts";
import { defineRoute, jobsAndAccounts, nounRoutes } from "../route.ts";
import { clientFrameSchema, submitFrameSchema, subscribeFrameSchema } from "./client-frames.ts";
import { SOCKET_PATH, serverFrameSchema, sessionCursorSchema } from "./socket.ts";

export const sessionComponents: Components = {
  SocketClientFrame: component(clientFrameSchema, "A frame that a client sends. A union on `type`."),
  SubmitFrame: component(submitFrameSchema, "Queues a run.", oneOf("message", "messages")),
  SubscribeFrame: component(
    subscribeFrameSchema,
    "Begins a subscription of exactly one run, session or workspace.",
    oneOf("run_id", "session_id", "workspace_id"),
  ),
  SessionCursor: component(sessionCursorSchema, "Where a reader of a session stands."),
  SocketServerFrame: component(serverFrameSchema, "A frame that the service sends. A union on `type`."),
};

export const sessionRoutes = nounRoutes("sessions", "Sessions", {
  follow: defineRoute(`GET ${SOCKET_PATH}`, {
    callers: jobsAndAccounts,
    role: "viewer",
    repeat: "safe",
    answer: "socket",
    scopes: ["runs:read"],
    summary: "The session WebSocket: subscribe to runs, sessions and workspaces, submit, cancel",
    description:
      "Text frames, one JSON object each: `#/components/schemas/SocketClientFrame` in, `#/components/schemas/SocketServerFrame` out. Without the header Authorization, the first frame is `auth`, within 10 seconds. A header Origin must be the service's own or the web app's. Every frame counts as a request: `rate_limited` says when there were too many. 6,000 frames are read of a socket at once, and 6,000 a minute: more are read later. An account has 100 sockets on a node, unless its operator sets another number; beyond it an upgrade is refused, or the socket closed with 4429.",
    rate: "address",
    answers: { 101: "The socket is open." },
    refusals: [426, 503],
  }),
});
