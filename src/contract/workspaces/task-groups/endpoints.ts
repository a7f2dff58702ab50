// Where the routes of task groups are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const group = async () => (await import("./task-group.ts")).taskGroupSchema;
const read = { callers: accounts, repeat: "safe", method: "GET" } as const;

export const taskGroupEndpoints = {
  list: {
    ...read,
    path: "/v1/workspaces/{workspaceID}/task-groups",
    answer: async () => (await import("./task-group.ts")).taskGroupListSchema,
  },
  create: {
    callers: accounts,
    repeat: "keyed",
    method: "POST",
    path: "/v1/workspaces/{workspaceID}/task-groups",
    answer: group,
  },
  get: { ...read, path: "/v1/task-groups/{taskGroupID}", answer: group },
  costs: {
    ...read,
    path: "/v1/task-groups/{taskGroupID}/costs",
    answer: async () => (await import("../workspace/workspace.ts")).costsSchema,
  },
  stop: {
    callers: accounts,
    repeat: "safe",
    method: "POST",
    path: "/v1/task-groups/{taskGroupID}/stop",
    answer: group,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
