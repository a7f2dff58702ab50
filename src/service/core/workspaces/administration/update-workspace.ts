// PATCH /v1/workspaces/{workspaceID}.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { UpdateWorkspaceRequest } from "../../../../contract/workspaces/workspace/workspace.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import type { AgentEndingRefusal, AgentRefusal } from "../../agents/refusals.ts";
import type { Core } from "../../core.ts";
import { fieldsOn } from "../../ports/record-fields.ts";
import { reachWorkspace } from "../reach-workspace.ts";
import type { ManagerRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Workspace } from "../workspace.ts";
import { joinWorkspace } from "./members.ts";

const fieldsOfWorkspace = fieldsOn<Workspace>();

type Refusal = WorkspaceRefusal | WorkRefusal | ManagerRefusal | AgentRefusal | AgentEndingRefusal;

/**
 * Changes what the request names. Also for an account whose new work is not taken: another manager can be chosen there, so that the
 * one before can be retired. Safe to repeat.
 */
export async function updateWorkspace(
  core: Core,
  request: {
    readonly caller: AccountCaller;
    readonly workspaceId: string;
    readonly body: UpdateWorkspaceRequest;
  },
): Promise<Result<Workspace, Refusal>> {
  const { workspaceId, body } = request;
  const { manager_agent_id: agentId, ...rest } = body;
  if (agentId === null) return refused({ reason: "manager_missing" });
  return await core.store.transact(async (tx): Promise<Result<Workspace, Refusal>> => {
    await tx.workspaces.lock(workspaceId);
    const reached = await reachWorkspace(core, request, tx);
    if (!reached.ok) return reached;
    const workspace = reached.value;
    if (workspace.state === "erasing") return refused({ reason: "workspace_erasing", workspaceId });
    if (agentId !== undefined) {
      const joined = await joinWorkspace(core, tx, { workspace, agentId });
      if (!joined.ok) return joined;
    }
    const change = {
      ...fieldsOfWorkspace(rest),
      ...(agentId === undefined ? {} : { managerAgentId: agentId }),
    };
    if (Object.keys(change).length > 0) await tx.workspaces.update(workspaceId, change);
    return ok({ ...workspace, ...change });
  });
}
