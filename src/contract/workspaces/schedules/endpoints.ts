// Where the routes of a workspace's schedules are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const schedule = async () => (await import("../../schedules/schedule.ts")).scheduleSchema;
const all = { callers: accounts, path: "/v1/workspaces/{workspaceID}/schedules" } as const;
const one = {
  callers: accounts,
  path: "/v1/workspaces/{workspaceID}/schedules/{scheduleID}",
  repeat: "safe",
  answer: schedule,
} as const;

export const workspaceScheduleEndpoints = {
  list: {
    ...all,
    method: "GET",
    repeat: "safe",
    answer: async () => (await import("./workspace-schedule.ts")).workspaceScheduleListSchema,
  },
  create: { ...all, method: "POST", repeat: "keyed", answer: schedule },
  get: { ...one, method: "GET" },
  cancel: { ...one, method: "DELETE" },
} as const satisfies Readonly<Record<string, Endpoint>>;
