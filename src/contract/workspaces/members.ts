// The agents that work in a workspace, and their routes under /v1/workspaces/{workspaceID}/members. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object, strictObject } from "../field.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../route.ts";
import { AGENT_ID, MEMBER_ID, WORKSPACE_ID } from "../story.ts";
import { listOf, pageQuery } from "./record.ts";

export const memberRoles = ["manager", "worker"] as const;

export const memberSchema = object({
  id: field(z.uuid(), "The member's id."),
  workspace_id: field(z.uuid(), "The workspace."),
  agent_id: field(z.uuid(), "The agent."),
  role: field(z.enum(memberRoles), "`manager` for the one agent that manages the workspace."),
  created_at: field(z.iso.datetime(), "When it was added."),
});
export type MemberView = z.infer<typeof memberSchema>;

export const memberListSchema = listOf(memberSchema, "The members.");

export const listMembersQuerySchema = strictObject(pageQuery);

export const addMemberRequestSchema = strictObject({
  agent_id: field(z.uuid(), "One of the account's agents that is not retired."),
  role: field(
    z.optional(z.enum(memberRoles)),
    "`manager` makes it the workspace's manager. Left out: `worker`.",
  ),
});
export type AddMemberRequest = z.infer<typeof addMemberRequestSchema>;

export const memberComponents: Components = {
  Member: component(memberSchema, "An agent that works in a workspace."),
  MemberList: component(memberListSchema, "A page of members, newest first."),
  AddMemberRequest: component(addMemberRequestSchema, "The agent to add."),
};

const MAX_BODY_BYTES = 16 * 1024;

export const memberRoutes = nounRoutes("members", "Workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/members", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: memberListSchema,
    summary: "List the agents that work in a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listMembersQuerySchema),
    answers: { 200: "A page of members." },
  }),
  add: defineRoute("POST /v1/workspaces/{workspaceID}/members", {
    callers: accounts,
    role: "member",
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
    role: "member",
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

const member = {
  id: MEMBER_ID,
  workspace_id: WORKSPACE_ID,
  agent_id: AGENT_ID,
  role: "worker" as const,
  created_at: "2026-03-09T10:01:00.000Z",
};

export const memberExamples: ExamplesOf<typeof memberRoutes> = {
  list: {
    answers: { 200: { memberList: { summary: "One member", value: { items: [member], next_cursor: "" } } } },
  },
  add: {
    body: { memberToAdd: { summary: "An agent", value: { agent_id: AGENT_ID } } },
    answers: { 201: { memberAdded: { summary: "It is a member", value: member } } },
  },
  remove: { answers: { 200: { memberRemoved: { summary: "It was a member", value: member } } } },
};
