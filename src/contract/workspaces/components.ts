// Every named schema of workspaces, and every example, by noun. Pure.

import type { Components } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { adoptionComponents, adoptionExamples } from "./adoption.ts";
import { changesetExamples } from "./changesets/examples.ts";
import { changesetComponents } from "./changesets/routes.ts";
import { contextItemComponents, contextItemExamples } from "./context-items.ts";
import { copyExamples } from "./copies/examples.ts";
import { copyComponents } from "./copies/routes.ts";
import { copyFileExamples, downloadExamples, fileExamples, revisionFileExamples } from "./files/examples.ts";
import { fileComponents } from "./files/routes.ts";
import { inboundEmailComponents, inboundEmailExamples } from "./inbound-email.ts";
import { memberComponents, memberExamples } from "./members.ts";
import { operationComponents, operationExamples } from "./operations.ts";
import { retentionExamples } from "./retention/examples.ts";
import { retentionComponents } from "./retention/routes.ts";
import { reviewActionComponents, reviewActionExamples } from "./review-actions.ts";
import { revisionComponents, revisionExamples } from "./revisions.ts";
import type { WorkspaceNounRoutes } from "./routes.ts";
import { workspaceRunComponents, workspaceRunExamples } from "./runs.ts";
import { workspaceScheduleComponents, workspaceScheduleExamples } from "./schedules.ts";
import { siteComponents, siteExamples } from "./site.ts";
import { taskGroupExamples } from "./task-groups/examples.ts";
import { taskGroupComponents } from "./task-groups/routes.ts";
import { threadComponents, threadExamples } from "./threads.ts";
import { workerExamples } from "./workers/examples.ts";
import { workerComponents } from "./workers/routes.ts";
import { workspaceWorkflowComponents, workspaceWorkflowExamples } from "./workflows.ts";
import { workspaceExamples } from "./workspace/examples.ts";
import { workspaceComponents } from "./workspace/routes.ts";

export const workspaceNounComponents: Components = {
  ...workspaceComponents,
  ...copyComponents,
  ...revisionComponents,
  ...operationComponents,
  ...adoptionComponents,
  ...memberComponents,
  ...siteComponents,
  ...inboundEmailComponents,
  ...workspaceScheduleComponents,
  ...workspaceWorkflowComponents,
  ...threadComponents,
  ...workspaceRunComponents,
  ...contextItemComponents,
  ...fileComponents,
  ...retentionComponents,
  ...changesetComponents,
  ...reviewActionComponents,
  ...workerComponents,
  ...taskGroupComponents,
};

export const workspaceNounExamples: {
  readonly [Noun in keyof WorkspaceNounRoutes]: ExamplesOf<WorkspaceNounRoutes[Noun]>;
} = {
  workspaces: workspaceExamples,
  copies: copyExamples,
  revisions: revisionExamples,
  operations: operationExamples,
  adoption: adoptionExamples,
  members: memberExamples,
  site: siteExamples,
  inboundEmail: inboundEmailExamples,
  workspaceSchedules: workspaceScheduleExamples,
  workspaceWorkflows: workspaceWorkflowExamples,
  threads: threadExamples,
  workspaceRuns: workspaceRunExamples,
  contextItems: contextItemExamples,
  files: fileExamples,
  copyFiles: copyFileExamples,
  revisionFiles: revisionFileExamples,
  downloads: downloadExamples,
  retention: retentionExamples,
  changesets: changesetExamples,
  reviewActions: reviewActionExamples,
  workers: workerExamples,
  taskGroups: taskGroupExamples,
};
