// Every named schema of workspaces, and every example, by noun. Pure.

import type { Components } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { adoptionComponents } from "./adoption/components.ts";
import { adoptionExamples } from "./adoption/examples.ts";
import { changesetComponents } from "./changesets/components.ts";
import { changesetExamples } from "./changesets/examples.ts";
import { contextItemComponents } from "./context-items/components.ts";
import { contextItemExamples } from "./context-items/examples.ts";
import { copyComponents } from "./copies/components.ts";
import { copyExamples } from "./copies/examples.ts";
import { fileComponents } from "./files/components.ts";
import { copyFileExamples, downloadExamples, fileExamples, revisionFileExamples } from "./files/examples.ts";
import { inboundEmailComponents } from "./inbound-email/components.ts";
import { inboundEmailExamples } from "./inbound-email/examples.ts";
import { memberComponents } from "./members/components.ts";
import { memberExamples } from "./members/examples.ts";
import { operationComponents } from "./operations/components.ts";
import { operationExamples } from "./operations/examples.ts";
import { retentionComponents } from "./retention/components.ts";
import { retentionExamples } from "./retention/examples.ts";
import { reviewActionComponents } from "./review-actions/components.ts";
import { reviewActionExamples } from "./review-actions/examples.ts";
import { revisionComponents } from "./revisions/components.ts";
import { revisionExamples } from "./revisions/examples.ts";
import type { WorkspaceNounRoutes } from "./routes.ts";
import { workspaceRunComponents } from "./runs/components.ts";
import { workspaceRunExamples } from "./runs/examples.ts";
import { workspaceScheduleComponents } from "./schedules/components.ts";
import { workspaceScheduleExamples } from "./schedules/examples.ts";
import { siteComponents } from "./site/components.ts";
import { siteExamples } from "./site/examples.ts";
import { taskGroupComponents } from "./task-groups/components.ts";
import { taskGroupExamples } from "./task-groups/examples.ts";
import { threadComponents } from "./threads/components.ts";
import { threadExamples } from "./threads/examples.ts";
import { workerComponents } from "./workers/components.ts";
import { workerExamples } from "./workers/examples.ts";
import { workspaceWorkflowComponents } from "./workflows/components.ts";
import { workspaceWorkflowExamples } from "./workflows/examples.ts";

import { workspaceComponents } from "./workspace/components.ts";
import { workspaceExamples } from "./workspace/examples.ts";

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
