// Where the routes of workflows are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, owners } from "../route.ts";

export const workflowEndpoints = {
  activate: {
    method: "POST",
    path: "/v1/workflows/{id}/activate",
    callers: owners,
    // Without a version it activates the newest, which may be another one the next time.
    repeat: "once",
    answer: async () => (await import("./workflow.ts")).workflowSchema,
  },
  execute: {
    method: "POST",
    path: "/v1/workflows/{id}/executions",
    callers: accounts,
    repeat: "keyed",
    answer: async () => (await import("./workflow.ts")).executeWorkflowResponseSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
