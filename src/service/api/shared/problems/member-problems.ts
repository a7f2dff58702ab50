// What a caller is told of the agents that work in a workspace, and of their managers. Pure.

import type { ManagerInUseRefusal } from "../../../core/workspaces/managed-workspaces.ts";
import type { MemberRefusal } from "../../../core/workspaces/members/refusals.ts";
import type { NoWorkspaceRefusal } from "../../../core/workspaces/refusals.ts";
import { invalidRequest, notFound, type ProblemsOf } from "./public-problem.ts";

export const memberProblems: ProblemsOf<MemberRefusal | ManagerInUseRefusal | NoWorkspaceRefusal> = {
  member_not_found: ({ memberId, workspaceId }) =>
    notFound(`Workspace ${workspaceId} has no member ${memberId}.`),
  agent_no_member: ({ agentId, workspaceId }) =>
    invalidRequest(
      `Agent ${agentId} is no member of workspace ${workspaceId}. Add it by POST /v1/workspaces/${workspaceId}/members, or name another one.`,
    ),
  agent_without_workspace: ({ agentId }) => notFound(`Agent ${agentId} is a member of no workspace.`),
  manager_in_use: ({ agentId, workspaceIds }) => ({
    status: 409,
    code: "workspace_manager_in_use",
    message: `Agent ${agentId} manages ${workspaceIds.length === 1 ? `workspace ${workspaceIds[0]}` : `${workspaceIds.length} workspaces`}. Choose another manager first: PATCH /v1/workspaces/{workspaceID}, "manager_agent_id".`,
    fields: { workspace_ids: workspaceIds },
  }),
};
