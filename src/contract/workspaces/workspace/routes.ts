// The routes of workspaces. Pure.

import { defineRoute, nounRoutes, query } from "../../route.ts";
import { pageQueryTexts } from "../list.ts";
import { workspaceEndpoints } from "./endpoints.ts";
import { listWorkspacesQuerySchema } from "./workspace.ts";

export const workspaceRoutes = nounRoutes("workspaces", "Workspaces", {
  list: defineRoute(workspaceEndpoints.list, {
    summary: "List the account's workspaces, newest first",
    scopes: ["workspaces:read"],
    query: query(listWorkspacesQuerySchema, pageQueryTexts),
    answers: { 200: "A page of workspaces." },
  }),
  get: defineRoute(workspaceEndpoints.get, {
    summary: "Read a workspace",
    scopes: ["workspaces:read"],
    answers: { 200: "The workspace." },
  }),
});
