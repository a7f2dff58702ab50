// Where the routes of repository accesses are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, owners } from "../route.ts";

const common = {
  path: "/v1/agents/{agentID}/repository-access",
  repeat: "safe",
  answer: async () => (await import("./repository-access.ts")).repositoryAccessSchema,
} as const;

export const repositoryAccessEndpoints = {
  get: { ...common, method: "GET", callers: accounts },
  put: { ...common, method: "PUT", callers: owners },
  delete: { ...common, method: "DELETE", callers: owners },
} as const satisfies Readonly<Record<string, Endpoint>>;
