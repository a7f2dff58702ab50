// The owner's word that an agent's runs may change something by the tools of an MCP server. Pure.

import * as z from "zod/mini";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object } from "./field.ts";
import { accounts, defineRoute, nounRoutes, owners } from "./route.ts";
import { AGENT_ID } from "./story.ts";

export const writeGrantSchema = object({
  agent_id: field(z.uuid(), "The agent."),
  server: field(z.string(), "The server's name, or `*` for every server."),
  granted_at: field(z.iso.datetime(), "When its owner granted it."),
});
/** A standing permission for an agent to call tools of an MCP server that write. */
export type WriteGrant = z.infer<typeof writeGrantSchema>;

export const writeGrantListSchema = z.array(writeGrantSchema);

export const writeGrantComponents: Components = {
  WriteGrant: component(
    writeGrantSchema,
    "An agent's runs may call tools of this MCP server that change something.",
  ),
  WriteGrantList: component(writeGrantListSchema, "Write grants, by server."),
};

export const writeGrantRoutes = nounRoutes("writeGrants", "Approvals", {
  list: defineRoute("GET /v1/agents/{agentID}/write-grants", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: writeGrantListSchema,
    summary: "List an agent's write grants",
    scopes: ["agents:read"],
    answers: { 200: "The grants." },
  }),
  put: defineRoute("PUT /v1/agents/{agentID}/write-grants/{server}", {
    callers: owners,
    role: "admin",
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
    role: "admin",
    repeat: "safe",
    answer: writeGrantListSchema,
    summary: "Revoke a write grant",
    description: "Only the owner may. Counts from the next call on, also in runs that are under way.",
    answers: { 200: "The grants that are left." },
    refusals: [400],
  }),
});

const grant = { agent_id: AGENT_ID, server: "issues", granted_at: "2026-03-09T10:06:30.000Z" };

export const writeGrantExamples: ExamplesOf<typeof writeGrantRoutes> = {
  list: { answers: { 200: { writeGrants: { summary: "One server", value: [grant] } } } },
  put: { answers: { 200: { writeGrantsPut: { summary: "Granted", value: [grant] } } } },
  delete: { answers: { 200: { writeGrantsLeft: { summary: "None is left", value: [] } } } },
};
