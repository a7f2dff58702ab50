// /v1/workspaces: list, make, read.

import type { workspaceRoutes } from "../../../../contract/workspaces/workspace/routes.ts";
import type { Core } from "../../../core/core.ts";
import { createWorkspace } from "../../../core/workspaces/create-workspace.ts";
import { reachWorkspace } from "../../../core/workspaces/reach-workspace.ts";
import { listWorkspaces } from "../../../core/workspaces/read-workspaces.ts";
import { toPage, toWorkspace } from "../../shared/workspace-view.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function workspaceHandlers(core: Core): NounHandlers<typeof workspaceRoutes> {
  return {
    list: async ({ caller, query }) =>
      shown(await listWorkspaces(core, { caller, query }), toPage(toWorkspace)),
    create: async (request) => shown(await createWorkspace(core, request), toWorkspace),
    get: async ({ caller, params }) =>
      shown(await reachWorkspace(core, { caller, workspaceId: params.workspaceID }), toWorkspace),
  };
}
