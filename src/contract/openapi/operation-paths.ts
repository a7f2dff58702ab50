// The socket, and what an operator asks, in the OpenAPI document. Pure.

import { answer, capabilityOrKey, problems } from "./parts.ts";

export const operationPaths = {
  "/v1/ws": {
    get: {
      operationId: "openSocket",
      summary: "The session WebSocket: subscribe to runs and sessions, submit, cancel",
      description:
        "Text frames, one JSON object each: SocketClientFrame in, SocketServerFrame out. Without the header Authorization, the first frame is `auth`, within 10 seconds. A header Origin must be the service's own or the web app's.",
      security: [{}, ...capabilityOrKey],
      responses: { 101: { description: "The socket is open." }, ...problems(401, 403, 426, 503) },
    },
  },
  "/metrics": {
    get: {
      operationId: "getMetrics",
      summary: "What the service counts, for Prometheus",
      security: [],
      responses: {
        200: {
          description: "The metrics.",
          content: { "text/plain": { schema: { type: "string" } } },
        },
        404: answer("The operator has switched metrics off.", "Problem"),
      },
    },
  },
  "/healthz": {
    get: {
      operationId: "getHealth",
      summary: "The process lives",
      security: [],
      responses: { 200: answer("It lives.", "Health") },
    },
  },
  "/readyz": {
    get: {
      operationId: "getReadiness",
      summary: "The service can do its work",
      security: [],
      responses: {
        200: answer("It can.", "Health"),
        503: answer("It is stopping, or its store does not answer.", "Health"),
      },
    },
  },
} as const;
