// Why a member of a workspace is not found or not taken out, and what its caller is told. Pure.

import { invalidRequest, notFound, type ProblemsOf } from "../../ports/problem.ts";

export type MemberRefusal =
  | { readonly reason: "member_not_found"; readonly memberId: string; readonly workspaceId: string }
  | { readonly reason: "agent_no_member"; readonly agentId: string; readonly workspaceId: string };

export const memberProblems: ProblemsOf<MemberRefusal> = {
  member_not_found: ({ memberId, workspaceId }) =>
    notFound(`Workspace ${workspaceId} has no member ${memberId}.`),
  agent_no_member: ({ agentId, workspaceId }) =>
    invalidRequest(
      `Agent ${agentId} is no member of workspace ${workspaceId}. Add it by POST /v1/workspaces/${workspaceId}/members, or name another one.`,
    ),
};
