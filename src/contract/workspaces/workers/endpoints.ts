// Where the routes of workers are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const worker = async () => (await import("./worker.ts")).workerSchema;
const read = { callers: accounts, repeat: "safe", method: "GET" } as const;

export const workerEndpoints = {
  list: {
    ...read,
    path: "/v1/workspaces/{workspaceID}/workers",
    answer: async () => (await import("./worker.ts")).workerListSchema,
  },
  start: {
    callers: accounts,
    repeat: "keyed",
    method: "POST",
    path: "/v1/workspaces/{workspaceID}/workers",
    answer: worker,
  },
  get: { ...read, path: "/v1/workspaces/{workspaceID}/workers/{workerRequestID}", answer: worker },
} as const satisfies Readonly<Record<string, Endpoint>>;
