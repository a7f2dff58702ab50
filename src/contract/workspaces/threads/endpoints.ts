// Where the routes of a workspace's sessions are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const common = { callers: accounts, path: "/v1/workspaces/{workspaceID}/threads" } as const;

export const threadEndpoints = {
  list: {
    ...common,
    method: "GET",
    repeat: "safe",
    answer: async () => (await import("./thread.ts")).threadListSchema,
  },
  create: {
    ...common,
    method: "POST",
    repeat: "keyed",
    answer: async () => (await import("./thread.ts")).threadSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
