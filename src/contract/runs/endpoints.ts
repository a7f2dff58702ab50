// Where the routes of runs are. No schema loads here: the client needs this before its first request.

import { type Endpoint, jobsAndAccounts } from "../route.ts";

const ofAgent = { callers: jobsAndAccounts, repeat: "safe" } as const;

export const runEndpoints = {
  submit: {
    ...ofAgent,
    method: "POST",
    path: "/v1/agents/{agentID}/runs",
    repeat: "keyed",
    answer: async () => (await import("./run.ts")).submitRunResponseSchema,
  },
  list: {
    ...ofAgent,
    method: "GET",
    path: "/v1/agents/{agentID}/runs",
    answer: async () => (await import("./run.ts")).runListSchema,
  },
  get: {
    ...ofAgent,
    method: "GET",
    path: "/v1/agents/{agentID}/runs/{runID}",
    answer: async () => (await import("./run.ts")).runSchema,
  },
  cancel: {
    ...ofAgent,
    method: "POST",
    path: "/v1/agents/{agentID}/runs/{runID}/cancel",
    answer: async () => (await import("./run.ts")).cancelRunResponseSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
