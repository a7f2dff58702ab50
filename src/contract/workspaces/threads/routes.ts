// The routes of a workspace's sessions. Pure.

import { accounts, defineRoute, nounRoutes, optionalJsonBody, query } from "../../route.ts";
import { pageQueryTexts } from "../record.ts";
import {
  createThreadRequestSchema,
  listThreadsQuerySchema,
  threadListSchema,
  threadSchema,
} from "./thread.ts";

const MAX_BODY_BYTES = 16 * 1024;

export const threadRoutes = nounRoutes("threads", "Workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/threads", {
    callers: accounts,
    repeat: "safe",
    answer: threadListSchema,
    summary: "List the sessions of a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listThreadsQuerySchema, pageQueryTexts),
    answers: { 200: "A page of sessions." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/threads", {
    callers: accounts,
    repeat: "keyed",
    answer: threadSchema,
    summary: "Begin a session in a workspace",
    description: "It starts no run. A run of the workspace continues it by `session_id`.",
    scopes: ["workspaces:write"],
    body: optionalJsonBody(createThreadRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The session." },
    refusals: [409],
  }),
});
