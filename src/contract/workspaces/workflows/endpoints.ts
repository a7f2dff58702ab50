// Where the routes of a workspace's workflows are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const workflow = async () => (await import("./workspace-workflow.ts")).workspaceWorkflowSchema;
const one = {
  callers: accounts,
  path: "/v1/workspaces/{workspaceID}/workflows/{workflowID}",
  answer: workflow,
} as const;

export const workspaceWorkflowEndpoints = {
  list: {
    callers: accounts,
    repeat: "safe",
    method: "GET",
    path: "/v1/workspaces/{workspaceID}/workflows",
    answer: async () => (await import("./workspace-workflow.ts")).workspaceWorkflowListSchema,
  },
  put: { ...one, method: "PUT", repeat: "safe" },
  delete: { ...one, method: "DELETE", repeat: "safe" },
} as const satisfies Readonly<Record<string, Endpoint>>;
