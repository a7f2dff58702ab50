// Where the routes of context items are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const item = async () => (await import("./context-item.ts")).contextItemSchema;
const common = { callers: accounts, path: "/v1/workspaces/{workspaceID}/context-items" } as const;

export const contextItemEndpoints = {
  list: {
    ...common,
    method: "GET",
    repeat: "safe",
    answer: async () => (await import("./context-item.ts")).contextItemListSchema,
  },
  create: { ...common, method: "POST", repeat: "keyed", answer: item },
  delete: {
    ...common,
    method: "DELETE",
    path: "/v1/workspaces/{workspaceID}/context-items/{contextItemID}",
    repeat: "safe",
    answer: item,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
