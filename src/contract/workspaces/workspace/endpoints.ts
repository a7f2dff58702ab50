// Where the routes of workspaces are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const workspace = async () => (await import("./workspace.ts")).workspaceSchema;
const common = { callers: accounts, repeat: "safe" } as const;

export const workspaceEndpoints = {
  list: {
    ...common,
    method: "GET",
    path: "/v1/workspaces",
    answer: async () => (await import("./workspace.ts")).workspaceListSchema,
  },
  create: { ...common, method: "POST", path: "/v1/workspaces", repeat: "keyed", answer: workspace },
  get: { ...common, method: "GET", path: "/v1/workspaces/{workspaceID}", answer: workspace },
} as const satisfies Readonly<Record<string, Endpoint>>;
