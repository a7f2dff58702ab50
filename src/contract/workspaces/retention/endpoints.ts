// Where the routes of retention are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const pin = async () => (await import("./retention.ts")).pinSchema;
const common = { callers: accounts, repeat: "safe" } as const;

export const retentionEndpoints = {
  get: {
    ...common,
    method: "GET",
    path: "/v1/workspaces/{workspaceID}/retention",
    answer: async () => (await import("./retention.ts")).retentionSchema,
  },
  createPin: {
    ...common,
    method: "POST",
    path: "/v1/workspaces/{workspaceID}/retention/pins",
    repeat: "keyed",
    answer: pin,
  },
  deletePin: {
    ...common,
    method: "DELETE",
    path: "/v1/workspaces/{workspaceID}/retention/pins/{pinID}",
    answer: pin,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
