// Where the routes of changesets are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../../route.ts";

const changeset = async () => (await import("./changeset.ts")).changesetSchema;
const safe = { callers: accounts, repeat: "safe" } as const;
const keyed = { callers: accounts, repeat: "keyed" } as const;
const path = "/v1/workspaces/{workspaceID}/changesets";

export const changesetEndpoints = {
  list: {
    ...safe,
    method: "GET",
    path,
    answer: async () => (await import("./changeset.ts")).changesetListSchema,
  },
  create: { ...keyed, method: "POST", path, answer: changeset },
  get: {
    ...safe,
    method: "GET",
    path: `${path}/{changesetID}`,
    answer: async () => (await import("./changeset.ts")).changesetDetailSchema,
  },
  reject: { ...keyed, method: "POST", path: `${path}/{changesetID}/reject`, answer: changeset },
  accept: { ...keyed, method: "POST", path: `${path}/{changesetID}/accept`, answer: changeset },
  resolve: { ...keyed, method: "POST", path: `${path}/{changesetID}/resolve`, answer: changeset },
} as const satisfies Readonly<Record<string, Endpoint>>;
