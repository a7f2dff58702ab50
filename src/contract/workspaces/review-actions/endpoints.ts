// Where the route of review actions is. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

export const reviewActionEndpoints = {
  get: {
    callers: accounts,
    repeat: "safe",
    method: "GET",
    path: "/v1/workspaces/{workspaceID}/review-actions/{actionID}",
    answer: async () => (await import("./review-action.ts")).reviewActionSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
