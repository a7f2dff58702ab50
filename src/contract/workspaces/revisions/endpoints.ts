// Where the routes of revisions are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const revision = async () => (await import("./revision.ts")).revisionSchema;
const common = { callers: accounts, repeat: "safe" } as const;

export const revisionEndpoints = {
  list: {
    ...common,
    method: "GET",
    path: "/v1/workspaces/{workspaceID}/revisions",
    answer: async () => (await import("./revision.ts")).revisionListSchema,
  },
  get: {
    ...common,
    method: "GET",
    path: "/v1/workspaces/{workspaceID}/revisions/{revisionID}",
    answer: revision,
  },
  bundle: {
    ...common,
    method: "GET",
    path: "/v1/workspaces/{workspaceID}/revisions/{revisionID}/bundle",
    answer: "bytes",
  },
  delete: {
    ...common,
    method: "DELETE",
    path: "/v1/workspaces/{workspaceID}/revisions/{revisionID}",
    answer: revision,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
