// Where a workspace's address is. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

export const inboundEmailEndpoints = {
  get: {
    callers: accounts,
    repeat: "safe",
    method: "GET",
    path: "/v1/workspaces/{workspaceID}/inbound-email",
    answer: async () => (await import("./inbound-email.ts")).inboundEmailSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
