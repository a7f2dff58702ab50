// Every tool by its set, in the order in which clients see them.

import { type ToolSet, toolSets } from "../../../contract/mcp/tool-sets.ts";
import type { Tool } from "./tool.ts";
import { answerQuestionOfRun } from "./tools/answer-question.ts";
import { cancelRunById } from "./tools/cancel-run.ts";
import { cancelScheduleOfAgent } from "./tools/cancel-schedule.ts";
import { createAgentByName } from "./tools/create-agent.ts";
import { createScheduleOfAgent } from "./tools/create-schedule.ts";
import { denyApprovalById } from "./tools/deny-approval.ts";
import { executeActiveWorkflow } from "./tools/execute-workflow.ts";
import { getAgent } from "./tools/get-agent.ts";
import { getCredits } from "./tools/get-credits.ts";
import { getPricing } from "./tools/get-pricing.ts";
import { getRunResult } from "./tools/get-run-result.ts";
import { invokeAgent } from "./tools/invoke-agent.ts";
import { listAgentsOfAccount } from "./tools/list-agents.ts";
import { listApprovalsOfAccount } from "./tools/list-approvals.ts";
import { listOpenQuestions } from "./tools/list-questions.ts";
import { listRunsOfAgent } from "./tools/list-runs.ts";
import { listSchedulesOfAgent } from "./tools/list-schedules.ts";
import { listWorkflowsOfAgent } from "./tools/list-workflows.ts";
import { acceptChangesetById } from "./tools/workspaces/accept-changeset.ts";
import { checkpointCopy } from "./tools/workspaces/checkpoint.ts";
import { createChangesetOfCopy } from "./tools/workspaces/create-changeset.ts";
import { createCopyOfRevision } from "./tools/workspaces/create-copy.ts";
import { createWorkspaceByName } from "./tools/workspaces/create-workspace.ts";
import { deleteCopyById } from "./tools/workspaces/delete-copy.ts";
import { deleteFileOfCopy } from "./tools/workspaces/delete-file.ts";
import { getChangesetById } from "./tools/workspaces/get-changeset.ts";
import { getWorkspaceById } from "./tools/workspaces/get-workspace.ts";
import { listFilesOfPlace } from "./tools/workspaces/list-files.ts";
import { listRevisionsOfWorkspace } from "./tools/workspaces/list-revisions.ts";
import { listWorkspacesOfAccount } from "./tools/workspaces/list-workspaces.ts";
import { readFileOfPlace } from "./tools/workspaces/read-file.ts";
import { rejectChangesetById } from "./tools/workspaces/reject-changeset.ts";
import {
  createTaskGroupOfWorkspace,
  getTaskGroupById,
  stopTaskGroupById,
} from "./tools/workspaces/task-groups.ts";
import { getWorkerById, startWorkerOfGroup } from "./tools/workspaces/workers.ts";
import { writeFilesOfCopy } from "./tools/workspaces/write-files.ts";

export const toolsOfSets: Readonly<Record<ToolSet, readonly Tool[]>> = {
  agents: [
    listAgentsOfAccount,
    getAgent,
    createAgentByName,
    invokeAgent,
    getRunResult,
    listRunsOfAgent,
    cancelRunById,
    createScheduleOfAgent,
    listSchedulesOfAgent,
    cancelScheduleOfAgent,
    listWorkflowsOfAgent,
    executeActiveWorkflow,
    getCredits,
    getPricing,
    listOpenQuestions,
    answerQuestionOfRun,
    listApprovalsOfAccount,
    denyApprovalById,
  ],
  workspaces: [
    listWorkspacesOfAccount,
    getWorkspaceById,
    createWorkspaceByName,
    listFilesOfPlace,
    readFileOfPlace,
    createCopyOfRevision,
    writeFilesOfCopy,
    deleteFileOfCopy,
    checkpointCopy,
    deleteCopyById,
    listRevisionsOfWorkspace,
  ],
  changesets: [createChangesetOfCopy, getChangesetById, acceptChangesetById, rejectChangesetById],
  workers: [
    createTaskGroupOfWorkspace,
    getTaskGroupById,
    stopTaskGroupById,
    startWorkerOfGroup,
    getWorkerById,
  ],
};

export const tools: readonly Tool[] = toolSets.flatMap((set) => toolsOfSets[set]);
