// Where the routes of workspaces are, by noun. No schema loads here.

import { adoptionEndpoints } from "./adoption/endpoints.ts";
import { changesetEndpoints } from "./changesets/endpoints.ts";
import { contextItemEndpoints } from "./context-items/endpoints.ts";
import { copyEndpoints } from "./copies/endpoints.ts";
import {
  copyFileEndpoints,
  downloadEndpoints,
  fileEndpoints,
  revisionFileEndpoints,
} from "./files/endpoints.ts";
import { inboundEmailEndpoints } from "./inbound-email/endpoints.ts";
import { memberEndpoints } from "./members/endpoints.ts";
import { operationEndpoints } from "./operations/endpoints.ts";
import { retentionEndpoints } from "./retention/endpoints.ts";
import { reviewActionEndpoints } from "./review-actions/endpoints.ts";
import { revisionEndpoints } from "./revisions/endpoints.ts";
import { workspaceRunEndpoints } from "./runs/endpoints.ts";
import { workspaceScheduleEndpoints } from "./schedules/endpoints.ts";
import { siteEndpoints } from "./site/endpoints.ts";
import { taskGroupEndpoints } from "./task-groups/endpoints.ts";
import { threadEndpoints } from "./threads/endpoints.ts";
import { workerEndpoints } from "./workers/endpoints.ts";
import { workspaceWorkflowEndpoints } from "./workflows/endpoints.ts";

import { workspaceEndpoints } from "./workspace/endpoints.ts";

export const workspaceNounEndpoints = {
  workspaces: workspaceEndpoints,
  copies: copyEndpoints,
  revisions: revisionEndpoints,
  operations: operationEndpoints,
  adoption: adoptionEndpoints,
  members: memberEndpoints,
  site: siteEndpoints,
  inboundEmail: inboundEmailEndpoints,
  workspaceSchedules: workspaceScheduleEndpoints,
  workspaceWorkflows: workspaceWorkflowEndpoints,
  threads: threadEndpoints,
  workspaceRuns: workspaceRunEndpoints,
  contextItems: contextItemEndpoints,
  files: fileEndpoints,
  copyFiles: copyFileEndpoints,
  revisionFiles: revisionFileEndpoints,
  downloads: downloadEndpoints,
  retention: retentionEndpoints,
  changesets: changesetEndpoints,
  reviewActions: reviewActionEndpoints,
  workers: workerEndpoints,
  taskGroups: taskGroupEndpoints,
} as const;
