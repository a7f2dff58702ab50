// The routes of workspaces. Pure.

import { defineRoute, nounRoutes, optionalJsonBody, query } from "../../route.ts";
import { pageQueryTexts } from "../list.ts";
import { workspaceEndpoints } from "./endpoints.ts";
import { createWorkspaceRequestSchema, listWorkspacesQuerySchema } from "./workspace.ts";

const MAX_BODY_BYTES = 128 * 1024;

export const workspaceRoutes = nounRoutes("workspaces", "Workspaces", {
  list: defineRoute(workspaceEndpoints.list, {
    summary: "List the account's workspaces, newest first",
    scopes: ["workspaces:read"],
    query: query(listWorkspacesQuerySchema, pageQueryTexts),
    answers: { 200: "A page of workspaces." },
  }),
  create: defineRoute(workspaceEndpoints.create, {
    summary: "Make a workspace",
    description:
      "It has no files, and starts no run. The idempotency key is required. `default_manager_agent_id` names the agent that manages it; without it an independent agent is made for that; null is refused with `invalid_workspace_manager`.",
    scopes: ["workspaces:write"],
    body: optionalJsonBody(createWorkspaceRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The workspace. The same one when the request is repeated." },
    refusals: [409],
  }),
  get: defineRoute(workspaceEndpoints.get, {
    summary: "Read a workspace",
    scopes: ["workspaces:read"],
    answers: { 200: "The workspace." },
  }),
});
