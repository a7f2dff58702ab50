// Where the routes of write grants are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, owners } from "../route.ts";

const common = {
  repeat: "safe",
  answer: async () => (await import("./write-grant.ts")).writeGrantListSchema,
} as const;

export const writeGrantEndpoints = {
  list: { ...common, method: "GET", path: "/v1/agents/{agentID}/write-grants", callers: accounts },
  put: { ...common, method: "PUT", path: "/v1/agents/{agentID}/write-grants/{server}", callers: owners },
  delete: {
    ...common,
    method: "DELETE",
    path: "/v1/agents/{agentID}/write-grants/{server}",
    callers: owners,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
