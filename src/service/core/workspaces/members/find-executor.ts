// The agent that executes a request to a workspace: its manager, or another member that the request names.
// Why: docs/decisions/085-the-manager-and-the-members-of-a-workspace.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { Workspace } from "../workspace.ts";
import type { MemberRefusal } from "./refusals.ts";

export async function findExecutor(
  { members }: Pick<StoreReader, "members">,
  { workspace, agentId }: { readonly workspace: Workspace; readonly agentId: string | undefined },
): Promise<Result<string, MemberRefusal>> {
  const { id: workspaceId, managerAgentId } = workspace;
  if (agentId === undefined || agentId === managerAgentId) return ok(managerAgentId);
  const member = await members.findOfAgent({ workspaceId, agentId });
  return member === null ? refused({ reason: "agent_no_member", agentId, workspaceId }) : ok(agentId);
}
