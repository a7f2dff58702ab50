// The routes of write grants. Pure.

import { accounts, defineRoute, nounRoutes, owners } from "../route.ts";
import { writeGrantListSchema } from "./write-grant.ts";

export const writeGrantRoutes = nounRoutes("writeGrants", "Approvals", {
  list: defineRoute("GET /v1/agents/{agentID}/write-grants", {
    callers: accounts,
    repeat: "safe",
    answer: writeGrantListSchema,
    summary: "List an agent's write grants",
    scopes: ["agents:read"],
    answers: { 200: "The grants." },
  }),
  put: defineRoute("PUT /v1/agents/{agentID}/write-grants/{server}", {
    callers: owners,
    repeat: "safe",
    answer: writeGrantListSchema,
    summary: "Let an agent's runs write by the tools of an MCP server",
    description:
      "`*` stands for every server. Only the owner may: an AI client gets 403 with a link for the owner. Counts from the next call on.",
    answers: { 200: "All grants of the agent." },
    refusals: [400],
  }),
  delete: defineRoute("DELETE /v1/agents/{agentID}/write-grants/{server}", {
    callers: owners,
    repeat: "safe",
    answer: writeGrantListSchema,
    summary: "Revoke a write grant",
    description: "Only the owner may. Counts from the next call on, also in runs that are under way.",
    answers: { 200: "The grants that are left." },
    refusals: [400],
  }),
});
