// Where the routes of a workspace's members are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const member = async () => (await import("./member.ts")).memberSchema;
const common = { callers: accounts, repeat: "safe", path: "/v1/workspaces/{workspaceID}/members" } as const;

export const memberEndpoints = {
  list: { ...common, method: "GET", answer: async () => (await import("./member.ts")).memberListSchema },
  add: { ...common, method: "POST", answer: member },
  remove: {
    ...common,
    method: "DELETE",
    path: "/v1/workspaces/{workspaceID}/members/{memberID}",
    answer: member,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
