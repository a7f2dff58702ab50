// Where the routes of schedules are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, owners } from "../route.ts";

const schedule = async () => (await import("./schedule.ts")).scheduleSchema;
const ofAgent = { callers: accounts, repeat: "safe" } as const;

export const scheduleEndpoints = {
  create: {
    ...ofAgent,
    method: "POST",
    path: "/v1/agents/{agentID}/schedules",
    repeat: "keyed",
    answer: schedule,
  },
  list: {
    ...ofAgent,
    method: "GET",
    path: "/v1/agents/{agentID}/schedules",
    answer: async () => (await import("./schedule.ts")).scheduleListSchema,
  },
  get: { ...ofAgent, method: "GET", path: "/v1/agents/{agentID}/schedules/{scheduleID}", answer: schedule },
  cancel: {
    ...ofAgent,
    method: "DELETE",
    path: "/v1/agents/{agentID}/schedules/{scheduleID}",
    answer: schedule,
  },
  confirm: {
    ...ofAgent,
    method: "POST",
    path: "/v1/agents/{agentID}/schedules/{scheduleID}/confirm",
    callers: owners,
    answer: schedule,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
