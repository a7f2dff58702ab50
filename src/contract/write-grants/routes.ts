// The routes of write grants. Pure.

import { defineRoute, nounRoutes } from "../route.ts";
import { writeGrantEndpoints } from "./endpoints.ts";

export const writeGrantRoutes = nounRoutes("writeGrants", "Approvals", {
  list: defineRoute(writeGrantEndpoints.list, {
    summary: "List an agent's write grants",
    scopes: ["agents:read"],
    answers: { 200: "The grants." },
  }),
  put: defineRoute(writeGrantEndpoints.put, {
    summary: "Let an agent's runs write by the tools of an MCP server",
    description:
      "`*` stands for every server. Only the owner may: an AI client gets 403 with a link for the owner. Counts from the next call on.",
    answers: { 200: "All grants of the agent." },
    refusals: [400],
  }),
  delete: defineRoute(writeGrantEndpoints.delete, {
    summary: "Revoke a write grant",
    description: "Only the owner may. Counts from the next call on, also in runs that are under way.",
    answers: { 200: "The grants that are left." },
    refusals: [400],
  }),
});
