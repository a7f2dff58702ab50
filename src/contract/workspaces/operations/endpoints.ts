// Where the routes of operations are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

export const operationEndpoints = {
  get: {
    callers: accounts,
    repeat: "safe",
    method: "GET",
    path: "/v1/workspaces/{workspaceID}/operations/{operationID}",
    answer: async () => (await import("./operation.ts")).operationSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
