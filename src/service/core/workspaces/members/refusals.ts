// Refusals to find a member of a workspace or to take one out, and their problems. Pure.

import { invalidRequest, notFound, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";

export const memberProblems = {
  member_not_found: ({ memberId, workspaceId }: { memberId: string; workspaceId: string }) =>
    notFound(`Workspace ${workspaceId} has no member ${memberId}.`),
  agent_no_member: ({ agentId, workspaceId }: { agentId: string; workspaceId: string }) =>
    invalidRequest(
      `Agent ${agentId} is no member of workspace ${workspaceId}. Add it by POST /v1/workspaces/${workspaceId}/members, or name another one.`,
    ),
} satisfies ProblemTable;

export type MemberRefusal = RefusalOf<typeof memberProblems>;
