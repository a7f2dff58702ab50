// Where the routes of copies are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const operation = async () => (await import("../operations/operation.ts")).operationSchema;
const read = { callers: accounts, repeat: "safe", method: "GET" } as const;

export const copyEndpoints = {
  list: {
    ...read,
    path: "/v1/workspaces/{workspaceID}/copies",
    answer: async () => (await import("./copy.ts")).copyListSchema,
  },
  create: {
    callers: accounts,
    repeat: "keyed",
    method: "POST",
    path: "/v1/workspaces/{workspaceID}/copies",
    answer: operation,
  },
  get: {
    ...read,
    path: "/v1/workspaces/{workspaceID}/copies/{workingCopyID}",
    answer: async () => (await import("./copy.ts")).copySchema,
  },
  delete: {
    callers: accounts,
    repeat: "safe",
    method: "DELETE",
    path: "/v1/workspaces/{workspaceID}/copies/{workingCopyID}",
    answer: operation,
  },
  checkpoint: {
    callers: accounts,
    repeat: "keyed",
    method: "POST",
    path: "/v1/workspaces/{workspaceID}/checkpoints",
    answer: operation,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
