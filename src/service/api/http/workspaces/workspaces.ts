// /v1/workspaces: list, make, read, change, and costs.

import { ok } from "../../../../base/result.ts";
import type { workspaceRoutes } from "../../../../contract/workspaces/workspace/routes.ts";
import type { Core } from "../../../core/core.ts";
import { createWorkspace } from "../../../core/workspaces/administration/create-workspace.ts";
import { eraseWorkspace } from "../../../core/workspaces/administration/erase-workspace.ts";
import { updateWorkspace } from "../../../core/workspaces/administration/update-workspace.ts";
import { findWorkspaceCosts } from "../../../core/workspaces/costs/workspace-costs.ts";
import { reachWorkspace } from "../../../core/workspaces/reach-workspace.ts";
import { findWorkspaceOfAgent, listWorkspaces } from "../../../core/workspaces/read-workspaces.ts";
import { toCosts } from "../../shared/costs-view.ts";
import { toAgentWorkspace, toPage, toWorkspace } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown, shownOnce } from "../handler.ts";

export function workspaceHandlers(core: Core): NounHandlers<typeof workspaceRoutes> {
  return {
    list: async ({ caller, query }) =>
      shown(await listWorkspaces(core, { caller, query }), toPage(toWorkspace)),
    create: async (request) => shownOnce(await createWorkspace(core, request), toWorkspace),
    get: async ({ caller, params }) =>
      shown(await reachWorkspace(core, { caller, workspaceId: params.workspaceID }), toWorkspace),
    getByAgent: async ({ caller, params }) =>
      shown(await findWorkspaceOfAgent(core, { caller, agentId: params.agentID }), toAgentWorkspace),
    delete: async ({ caller, params }) => {
      const workspaceId = params.workspaceID;
      const erased = await eraseWorkspace(core, { caller, workspaceId });
      if (!erased.ok) return erased;
      const { id } = erased.value;
      const headers = { Location: `/v1/workspaces/${workspaceId}/operations/${id}` };
      return ok({ body: { operation_id: id, status: "erasing" as const }, headers });
    },
    update: async ({ caller, params, body }) =>
      shown(await updateWorkspace(core, { caller, workspaceId: params.workspaceID, body }), toWorkspace),
    costs: async ({ caller, params, query }) => {
      const span = { since: timeOf(query.since), until: timeOf(query.until) };
      const request = { caller, workspaceId: params.workspaceID, span };
      return shown(await findWorkspaceCosts(core, request), (costs) => toCosts(costs, span));
    },
  };
}

function timeOf(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}
