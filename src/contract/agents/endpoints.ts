// Where the routes of agents are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint, owners } from "../route.ts";

const agent = async () => (await import("./agent.ts")).agentSchema;
const account = { callers: accounts, repeat: "safe" } as const;

export const agentEndpoints = {
  create: {
    ...account,
    method: "POST",
    path: "/v1/agents",
    repeat: "keyed",
    answer: async () => (await import("./agent.ts")).createAgentResponseSchema,
  },
  list: {
    ...account,
    method: "GET",
    path: "/v1/agents",
    answer: async () => (await import("./agent.ts")).agentListSchema,
  },
  get: { ...account, method: "GET", path: "/v1/agents/{agentID}", answer: agent },
  update: { ...account, method: "PATCH", path: "/v1/agents/{agentID}", answer: agent },
  stop: { ...account, method: "POST", path: "/v1/agents/{agentID}/stop", answer: agent },
  revokeLinks: {
    ...account,
    callers: owners,
    method: "DELETE",
    path: "/v1/agents/{agentID}/run-links",
    answer: "nothing",
  },
  retire: { ...account, method: "POST", path: "/v1/agents/{agentID}/retire", answer: agent },
  delete: {
    method: "DELETE",
    path: "/v1/agents/{agentID}",
    callers: owners,
    repeat: "safe",
    answer: "nothing",
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
