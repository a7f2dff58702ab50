// Handlers of the routes of workspaces, by noun.

import type { WorkspaceNounRoutes } from "../../../../contract/workspaces/routes.ts";
import type { FaceParts } from "../face.ts";
import type { Handlers } from "../handler.ts";
import { adoptionHandlers } from "./adoption.ts";
import { changesetHandlers, reviewActionHandlers } from "./changesets.ts";
import { contextItemHandlers } from "./context-items.ts";
import { copyHandlers } from "./copies.ts";
import { copyFileHandlers, downloadHandlers, fileHandlers, revisionFileHandlers } from "./files.ts";
import { memberHandlers } from "./members.ts";
import { operationHandlers } from "./operations.ts";
import { retentionHandlers } from "./retention.ts";
import { revisionHandlers } from "./revisions.ts";
import { workspaceRunHandlers } from "./runs.ts";
import { workspaceScheduleHandlers } from "./schedules.ts";
import { inboundEmailHandlers, siteHandlers } from "./site.ts";
import { taskGroupHandlers } from "./task-groups.ts";
import { threadHandlers } from "./threads.ts";
import { workerHandlers } from "./workers.ts";
import { workspaceWorkflowHandlers } from "./workflows.ts";

import { workspaceHandlers } from "./workspaces.ts";

export function workspaceNounHandlers({ core, submitter }: FaceParts): Handlers<WorkspaceNounRoutes> {
  return {
    workspaces: workspaceHandlers(core),
    copies: copyHandlers(core),
    revisions: revisionHandlers(core),
    operations: operationHandlers(core),
    adoption: adoptionHandlers(core),
    members: memberHandlers(core),
    site: siteHandlers(core),
    inboundEmail: inboundEmailHandlers(core),
    workspaceSchedules: workspaceScheduleHandlers(core),
    workspaceWorkflows: workspaceWorkflowHandlers(core),
    threads: threadHandlers(core),
    workspaceRuns: workspaceRunHandlers({ core, submitter }),
    contextItems: contextItemHandlers(core),
    files: fileHandlers(core),
    copyFiles: copyFileHandlers(core),
    revisionFiles: revisionFileHandlers(core),
    downloads: downloadHandlers(core),
    retention: retentionHandlers(core),
    changesets: changesetHandlers(core),
    reviewActions: reviewActionHandlers(core),
    workers: workerHandlers({ core, submitter }),
    taskGroups: taskGroupHandlers(core),
  };
}
