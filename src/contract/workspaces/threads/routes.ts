// The routes of a workspace's sessions. Pure.

import { defineRoute, nounRoutes, optionalJsonBody, query } from "../../route.ts";
import { pageQueryTexts } from "../record.ts";
import { threadEndpoints } from "./endpoints.ts";
import { createThreadRequestSchema, listThreadsQuerySchema } from "./thread.ts";

const MAX_BODY_BYTES = 16 * 1024;

export const threadRoutes = nounRoutes("threads", "Workspaces", {
  list: defineRoute(threadEndpoints.list, {
    summary: "List the sessions of a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listThreadsQuerySchema, pageQueryTexts),
    answers: { 200: "A page of sessions." },
  }),
  create: defineRoute(threadEndpoints.create, {
    summary: "Begin a session in a workspace",
    description: "It starts no run. A run of the workspace continues it by `session_id`.",
    scopes: ["workspaces:write"],
    body: optionalJsonBody(createThreadRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The session." },
    refusals: [409],
  }),
});
