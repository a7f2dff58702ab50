// An agent that manages workspaces is neither retired nor taken from its account: another manager has to be chosen first.
// Why: docs/decisions/085-the-manager-and-the-members-of-a-workspace.md

import { ok, type Result, refused } from "../../../base/result.ts";
import type { StoreReader } from "../ports/store.ts";

export type ManagerInUseRefusal = {
  readonly reason: "manager_in_use";
  readonly agentId: string;
  readonly workspaceIds: readonly string[];
};

/** The caller holds the agent's lock: who makes an agent a manager does so under it. */
export async function refuseManager(
  { workspaces }: Pick<StoreReader, "workspaces">,
  agentId: string,
): Promise<Result<null, ManagerInUseRefusal>> {
  const workspaceIds = await workspaces.listManagedBy(agentId);
  return workspaceIds.length === 0 ? ok(null) : refused({ reason: "manager_in_use", agentId, workspaceIds });
}
