// Every route of workspaces, by noun. A service loads them at their first request. Pure.

import type { RouteTable } from "../route.ts";
import { adoptionRoutes } from "./adoption.ts";
import { changesetRoutes } from "./changesets/routes.ts";
import { contextItemRoutes } from "./context-items.ts";
import { copyRoutes } from "./copies/routes.ts";
import { copyFileRoutes, downloadRoutes, fileRoutes, revisionFileRoutes } from "./files/routes.ts";
import { inboundEmailRoutes } from "./inbound-email.ts";
import { memberRoutes } from "./members.ts";
import { operationRoutes } from "./operations.ts";
import { retentionRoutes } from "./retention/routes.ts";
import { reviewActionRoutes } from "./review-actions.ts";
import { revisionRoutes } from "./revisions.ts";
import { workspaceRunRoutes } from "./runs.ts";
import { workspaceScheduleRoutes } from "./schedules.ts";
import { siteRoutes } from "./site.ts";
import { taskGroupRoutes } from "./task-groups/routes.ts";
import { threadRoutes } from "./threads.ts";
import { workerRoutes } from "./workers/routes.ts";
import { workspaceWorkflowRoutes } from "./workflows.ts";
import { workspaceRoutes } from "./workspace/routes.ts";

export const workspaceNounRoutes = {
  workspaces: workspaceRoutes,
  copies: copyRoutes,
  revisions: revisionRoutes,
  operations: operationRoutes,
  adoption: adoptionRoutes,
  members: memberRoutes,
  site: siteRoutes,
  inboundEmail: inboundEmailRoutes,
  workspaceSchedules: workspaceScheduleRoutes,
  workspaceWorkflows: workspaceWorkflowRoutes,
  threads: threadRoutes,
  workspaceRuns: workspaceRunRoutes,
  contextItems: contextItemRoutes,
  files: fileRoutes,
  copyFiles: copyFileRoutes,
  revisionFiles: revisionFileRoutes,
  downloads: downloadRoutes,
  retention: retentionRoutes,
  changesets: changesetRoutes,
  reviewActions: reviewActionRoutes,
  workers: workerRoutes,
  taskGroups: taskGroupRoutes,
} as const satisfies RouteTable;

export type WorkspaceNounRoutes = typeof workspaceNounRoutes;
