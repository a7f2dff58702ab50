// Where the session WebSocket is. No schema loads here: the client needs this before its first request.

import { type Endpoint, jobsAndAccounts } from "../route.ts";

export const sessionEndpoints = {
  follow: {
    method: "GET",
    path: "/v1/ws",
    callers: jobsAndAccounts,
    repeat: "safe",
    answer: "socket",
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
