// Why a member of a workspace is not found or not taken out. Pure.

export type MemberRefusal =
  | { readonly reason: "member_not_found"; readonly memberId: string; readonly workspaceId: string }
  | { readonly reason: "agent_no_member"; readonly agentId: string; readonly workspaceId: string };
