// Where the routes of a workspace's runs are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const common = { callers: accounts, path: "/v1/workspaces/{workspaceID}/runs" } as const;

export const workspaceRunEndpoints = {
  list: {
    ...common,
    method: "GET",
    repeat: "safe",
    answer: async () => (await import("./workspace-run.ts")).workspaceRunListSchema,
  },
  submit: {
    ...common,
    method: "POST",
    repeat: "keyed",
    answer: async () => (await import("../../runs/run.ts")).submitRunResponseSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
