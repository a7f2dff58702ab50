// The socket, and what an operator asks, in the OpenAPI document. Pure.

import { answer, capabilityOrKey, headers, media } from "./parts.ts";
import { problems } from "./problem-answers.ts";

export const operationPaths = {
  "/v1/ws": {
    get: {
      operationId: "openSocket",
      tags: ["Sessions"],
      summary: "The session WebSocket: subscribe to runs and sessions, submit, cancel",
      description:
        "Text frames, one JSON object each: `#/components/schemas/SocketClientFrame` in, `#/components/schemas/SocketServerFrame` out. Without the header Authorization, the first frame is `auth`, within 10 seconds. A header Origin must be the service's own or the web app's. Every frame counts as a request: `rate_limited` says when there were too many. 6,000 frames are read of a socket at once, and 6,000 a minute: more are read later. An account has 100 sockets on a node, unless its operator says otherwise; beyond it an upgrade is refused, or the socket closed with 4429.",
      security: [{}, ...capabilityOrKey],
      "x-frames": {
        client: media("SocketClientFrame", "frameAuth", "frameSubscribe", "frameSubmit"),
        server: media("SocketServerFrame", "frameSubmitted", "frameEvent"),
      },
      responses: {
        101: { description: "The socket is open." },
        ...problems(401, 403, 426, 429, 503),
      },
    },
  },
  "/metrics": {
    get: {
      operationId: "getMetrics",
      tags: ["Operating the service"],
      summary: "What the service counts, for Prometheus",
      description: "404 where the operator has switched metrics off.",
      security: [],
      responses: {
        200: {
          description: "The metrics.",
          headers: headers("X-Request-Id", "Cache-Control"),
          content: {
            "text/plain": {
              schema: { type: "string" },
              example: "# TYPE agent_service_polls_waiting gauge\nagent_service_polls_waiting 2\n",
            },
          },
        },
        ...problems(404),
      },
    },
  },
  "/healthz": {
    get: {
      operationId: "getHealth",
      tags: ["Operating the service"],
      summary: "The process lives",
      security: [],
      responses: { 200: answer("It lives.", "Health", "healthy") },
    },
  },
  "/readyz": {
    get: {
      operationId: "getReadiness",
      tags: ["Operating the service"],
      summary: "The service can do its work",
      security: [],
      responses: {
        200: answer("It can.", "Health", "healthy"),
        503: answer("It is stopping, or its store does not answer.", "Health", "draining", "storeSilent"),
      },
    },
  },
} as const;
