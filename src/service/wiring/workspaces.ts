// Workspaces: their routes, their sites, the runs in them, and their approvals. Loaded with the first of these.

import { workspaceNounRoutes } from "../../contract/workspaces/routes.ts";
import type { FaceParts } from "../api/http/face.ts";
import type { OpenedRoutes } from "../api/http/route-face.ts";
import { openedRoutes } from "../api/http/serve-routes.ts";
import { workspaceNounHandlers } from "../api/http/workspaces/handlers.ts";
import { type CopyFoldersOptions, copyFolders } from "../checkouts/copies/copy-folders.ts";
import type { Core } from "../core/core.ts";
import { workspaceRuns } from "../core/workspaces/runs/run-in-workspace.ts";
import type { WorkspaceRuns } from "../core/workspaces/runs/run-port.ts";

export { gitApp } from "../api/git/git-app.ts";
export { openSites } from "../api/site/site-app.ts";
export { repositoryTrees } from "../checkouts/repository-trees.ts";
export { gitService } from "../checkouts/served/git-service.ts";
export { takeUpOperations } from "../core/workspaces/administration/take-up-operations.ts";
export { reviewsOf } from "../core/workspaces/changesets/accept-reviewed.ts";
export { sweepWorkspaces } from "../core/workspaces/retention/sweep-workspaces.ts";
export { settleWorkers } from "../core/workspaces/workers/settle-workers.ts";

export function openWorkspaceRuns(core: Core, options: CopyFoldersOptions): WorkspaceRuns {
  return workspaceRuns(core, copyFolders(options));
}

export function openWorkspaces(parts: FaceParts): OpenedRoutes {
  return openedRoutes(workspaceNounRoutes, workspaceNounHandlers(parts));
}
