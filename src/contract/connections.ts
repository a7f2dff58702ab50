// Connections of an account with MCP servers: who has signed in where, without any token. Pure.

import * as z from "zod/mini";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object } from "./field.ts";
import { accounts, defineRoute, nounRoutes, owners } from "./route.ts";

export const connectionSchema = object({
  name: field(z.string(), "As `mcp_servers` of a submission names it."),
  server_url: field(z.string(), "The server's address."),
  issuer: field(z.string(), "The authorization server at which the person has signed in."),
  scopes: field(z.array(z.string()), "What was granted. Empty where nobody said it."),
  hosts: field(z.array(z.string()), "What `egress` of a run has to name, so that it can use the connection."),
  state: field(
    z.enum(["connected", "sign_in_needed"]),
    "`sign_in_needed`: it is of no use until an owner or admin signs in again on the page of connections.",
  ),
  reason: field(
    z.nullable(z.enum(["refused", "ended", "sealed", "person_left"])),
    "Why somebody has to sign in again: the refresh token was `refused`, the access token `ended` and there is no refresh token, the tokens were `sealed` with another key, or the person has left the account. Null: nobody has to.",
  ),
  connected_by: field(z.uuid(), "The person who signed in."),
  connected_at: field(z.iso.datetime(), "When they did."),
});
/** Who has signed in to an MCP server for the account, and whether that is still good. */
export type Connection = z.infer<typeof connectionSchema>;

export const connectionListSchema = z.array(connectionSchema);

export const endedConnectionSchema = object({
  name: field(z.string(), "The connection that is there no more."),
  revoked: field(
    z.boolean(),
    "Whether the authorization server has taken the tokens back. False where it has no way to be told, or did not answer: they are deleted here all the same.",
  ),
});

export const connectionComponents: Components = {
  McpConnection: component(connectionSchema, "A connection of the account with an MCP server."),
  McpConnectionList: component(connectionListSchema, "The account's connections, by name."),
  EndedMcpConnection: component(endedConnectionSchema, "A connection that was ended."),
};

export const connectionRoutes = nounRoutes("connections", "People", {
  list: defineRoute("GET /v1/connections", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: connectionListSchema,
    summary: "List the account's connections with MCP servers",
    description:
      "Without their tokens, which no answer has. People connect on the page `/settings/connections`.",
    scopes: ["agents:read"],
    answers: { 200: "The connections, by name." },
  }),
  remove: defineRoute("DELETE /v1/connections/{connection}", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: endedConnectionSchema,
    summary: "End a connection with an MCP server",
    description:
      "Deletes its tokens, and tells the authorization server where that can be told. Runs lose the server with their next request to it.",
    answers: { 200: "It is ended." },
  }),
});

const linear = {
  name: "linear",
  server_url: "https://mcp.linear.app/mcp",
  issuer: "https://mcp.linear.app",
  scopes: ["read", "write"],
  hosts: ["mcp.linear.app"],
  state: "connected" as const,
  reason: null,
  connected_by: "01890000-0000-7000-8000-0000000000a1",
  connected_at: "2026-03-09T10:06:30.000Z",
};

export const connectionExamples: ExamplesOf<typeof connectionRoutes> = {
  list: { answers: { 200: { connections: { summary: "One connection", value: [linear] } } } },
  remove: {
    answers: {
      200: { disconnected: { summary: "Ended", value: { name: "linear", revoked: true } } },
    },
  },
};
