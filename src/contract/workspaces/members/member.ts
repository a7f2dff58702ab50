// The agents that work in a workspace, and their routes under /v1/workspaces/{workspaceID}/members. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { listOf, pageQuery } from "../record.ts";

export const memberRoles = ["manager", "worker"] as const;
export type MemberRole = (typeof memberRoles)[number];

export const memberSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  agent_id: z.uuid(),
  role: z.enum(memberRoles),
  created_at: z.iso.datetime(),
});
export type MemberView = z.infer<typeof memberSchema>;

export const memberListSchema = listOf(memberSchema);

export const listMembersQuerySchema = strictObject(pageQuery);

export const addMemberRequestSchema = strictObject({
  agent_id: z.uuid(),
  /** `manager` makes it the workspace's manager, in the place of the one before, which stays a member. */
  role: z.optional(z.enum(memberRoles)),
});
export type AddMemberRequest = z.infer<typeof addMemberRequestSchema>;
