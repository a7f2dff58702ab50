// Where the routes of workspaces are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, owners } from "../../route.ts";

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
  getByAgent: {
    ...common,
    method: "GET",
    path: "/v1/workspaces/by-agent/{agentID}",
    answer: async () => (await import("./workspace.ts")).agentWorkspaceSchema,
  },
  get: { ...common, method: "GET", path: "/v1/workspaces/{workspaceID}", answer: workspace },
  update: { ...common, method: "PATCH", path: "/v1/workspaces/{workspaceID}", answer: workspace },
  delete: {
    ...common,
    callers: owners,
    method: "DELETE",
    path: "/v1/workspaces/{workspaceID}",
    answer: async () => (await import("./workspace.ts")).erasureSchema,
  },
  costs: {
    ...common,
    method: "GET",
    path: "/v1/workspaces/{workspaceID}/costs",
    answer: async () => (await import("./workspace.ts")).costsSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
