// The routes of a workspace's members. Pure.

import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import { pageQueryTexts } from "../record.ts";
import { addMemberRequestSchema, listMembersQuerySchema, memberListSchema, memberSchema } from "./member.ts";

const MAX_BODY_BYTES = 16 * 1024;

export const memberRoutes = nounRoutes("members", "Workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/members", {
    callers: accounts,
    repeat: "safe",
    answer: memberListSchema,
    summary: "List the agents that work in a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listMembersQuerySchema, pageQueryTexts),
    answers: { 200: "A page of members." },
  }),
  add: defineRoute("POST /v1/workspaces/{workspaceID}/members", {
    callers: accounts,
    repeat: "safe",
    answer: memberSchema,
    summary: "Let an agent of the account work in a workspace",
    description:
      "Safe to repeat: an agent is a member once. With the role `manager` it manages the workspace from then on, and the manager before it stays a worker.",
    scopes: ["workspaces:write"],
    body: jsonBody(addMemberRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The member." },
    refusals: [409],
  }),
  remove: defineRoute("DELETE /v1/workspaces/{workspaceID}/members/{memberID}", {
    callers: accounts,
    repeat: "safe",
    answer: memberSchema,
    summary: "Take an agent out of a workspace",
    description:
      "Its runs in flight end by themselves; its open schedules there are cancelled, its workflows there are deactivated. The manager is refused with `workspace_manager_in_use`: choose another one first.",
    scopes: ["workspaces:write"],
    answers: { 200: "The member as it was." },
    refusals: [409],
  }),
});
