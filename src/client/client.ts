// The typed client, grouped by noun: one method a route, named as in the route table (`runs.submit` is the operation
// `runsSubmit`). No environment, no node: module; schemas load with the first answer.

import { agentEndpoints } from "../contract/agents/endpoints.ts";
import type { agentRoutes } from "../contract/agents/routes.ts";
import { approvalEndpoints } from "../contract/approvals/endpoints.ts";
import type { approvalRoutes } from "../contract/approvals/routes.ts";
import { claimEndpoints } from "../contract/claims/endpoints.ts";
import type { claimRoutes } from "../contract/claims/routes.ts";
import { creditEndpoints, pricingEndpoints } from "../contract/money/endpoints.ts";
import type { creditRoutes, pricingRoutes } from "../contract/money/routes.ts";
import { questionEndpoints } from "../contract/questions/endpoints.ts";
import type { questionRoutes } from "../contract/questions/routes.ts";
import { repositoryAccessEndpoints } from "../contract/repository-access/endpoints.ts";
import type { repositoryAccessRoutes } from "../contract/repository-access/routes.ts";
import { scheduleEndpoints } from "../contract/schedules/endpoints.ts";
import type { scheduleRoutes } from "../contract/schedules/routes.ts";
import { workspaceNounEndpoints } from "../contract/workspaces/endpoints.ts";
import type { WorkspaceNounRoutes } from "../contract/workspaces/routes.ts";
import { writeGrantEndpoints } from "../contract/write-grants/endpoints.ts";
import type { writeGrantRoutes } from "../contract/write-grants/routes.ts";
import { callBytes, isByteSource } from "./bytes.ts";
import { type ClientOptions as ConnectOptions, connect, type JobClient, jobClient } from "./job-client.ts";
import { type NounClient, nounClient } from "./noun-client.ts";
import { type SessionClient, sessionClient, type WebSocketConstructor } from "./session.ts";
import { type WorkflowClient, workflowClient } from "./workflows.ts";
import { type CopyFileClient, copyFileClient, type FileClient, fileClient } from "./workspace-files.ts";

// What a program needs to name beside the client itself: this file is the package's entry.
export type {
  Agent,
  CreateAgentRequest,
  CreateAgentResponse,
  UpdateAgentRequest,
} from "../contract/agents/agent.ts";
export type { Approval } from "../contract/approvals/approval.ts";
export type { CommitState, HeldCommit, SentCommit } from "../contract/ci/commits.ts";
export type { AudienceResponse, CiIdentity, ExchangeResponse } from "../contract/ci/exchange.ts";
export type { CiRunPage } from "../contract/ci/run-page.ts";
export type { ClaimResponse } from "../contract/claims/claim.ts";
export type { Credits, ModelPricing, ToolPricing } from "../contract/money/money.ts";
export type { WrongField } from "../contract/problems/problem.ts";
export type { AnswerQuestionRequest, Question } from "../contract/questions/question.ts";
export type { RepositoryAccess } from "../contract/repository-access/repository-access.ts";
export type { CancelRunResponse, Run } from "../contract/runs/run.ts";
export type { ForeignEvent, RunEvent, StoredRunEvent } from "../contract/runs/run-event.ts";
export type { SubmitRunRequest } from "../contract/runs/run-requests.ts";
export type { CreateScheduleRequest, Schedule } from "../contract/schedules/schedule.ts";
export type {
  ActivateWorkflowRequest,
  ExecuteWorkflowRequest,
  ExecuteWorkflowResponse,
  Workflow,
} from "../contract/workflows/workflow.ts";
export type { ChangesetView as Changeset } from "../contract/workspaces/changesets/changeset.ts";
export type { CopyView as WorkspaceCopy } from "../contract/workspaces/copies/copy.ts";
export type { FileEntryView as WorkspaceFile } from "../contract/workspaces/files/files.ts";
export type { OperationView as WorkspaceOperation } from "../contract/workspaces/operations/operation.ts";
export type { RevisionView as WorkspaceRevision } from "../contract/workspaces/revisions/revision.ts";
export type { WorkspaceView as Workspace } from "../contract/workspaces/workspace/workspace.ts";
export type { WriteGrant } from "../contract/write-grants/write-grant.ts";
export type { ByteSource, Download, SizedBytes } from "./byte-source.ts";
export type { CiClient, ExchangeOptions } from "./ci.ts";
export type { CommitClient, SendCommitOptions } from "./commits.ts";
export type { EditConflictFields, EditedFile, EditOptions } from "./edit-file.ts";
export { EditConflictError } from "./edit-file.ts";
export {
  ApiError,
  ClientError,
  ConnectionError,
  DecodeError,
  EventGapError,
  TimeoutError,
} from "./errors.ts";
export type { FollowedRun, FollowOptions } from "./follow.ts";
export type { JobClient } from "./job-client.ts";
export type { CallOptions, NounClient, RouteOptions } from "./noun-client.ts";
export type { Credential } from "./request.ts";
export type { RunClient, SubmitRunOptions, SubmittedRun } from "./runs.ts";
export type {
  FollowedSession,
  SessionClient,
  SessionItem,
  SessionOptions,
  WebSocketConstructor,
} from "./session.ts";
export { SessionRefusedError } from "./session.ts";
export type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
export type { WorkflowClient } from "./workflows.ts";
export type { CopyFileClient, FileClient } from "./workspace-files.ts";

export type ClientOptions = ConnectOptions & {
  /** For `sessions.follow`, in the place of the platform's or, on Node before version 22, of the one that is built in. */
  readonly webSocket?: WebSocketConstructor;
};

/** Rejects and retries as a JobClient does. */
export type Client = JobClient & {
  readonly agents: NounClient<typeof agentRoutes>;
  readonly repositoryAccess: NounClient<typeof repositoryAccessRoutes>;
  readonly schedules: NounClient<typeof scheduleRoutes>;
  readonly workflows: WorkflowClient;
  readonly approvals: NounClient<typeof approvalRoutes>;
  readonly writeGrants: NounClient<typeof writeGrantRoutes>;
  readonly questions: NounClient<typeof questionRoutes>;
  readonly claims: NounClient<typeof claimRoutes>;
  readonly credits: NounClient<typeof creditRoutes>;
  readonly pricing: NounClient<typeof pricingRoutes>;
  readonly sessions: SessionClient;
} & WorkspaceClients;

/** A client for each noun of workspaces. */
type WorkspaceClients = {
  readonly [Noun in Exclude<keyof WorkspaceNounRoutes, "files" | "copyFiles">]: NounClient<
    WorkspaceNounRoutes[Noun]
  >;
} & { readonly files: FileClient; readonly copyFiles: CopyFileClient };

/** Makes a client. Opens nothing until a method is called. */
export function createClient(options: ClientOptions): Client {
  const connection = { ...connect(options), streams: { callBytes, isByteSource } };
  return {
    ...jobClient(connection),
    agents: nounClient<typeof agentRoutes>(connection, agentEndpoints),
    repositoryAccess: nounClient<typeof repositoryAccessRoutes>(connection, repositoryAccessEndpoints),
    schedules: nounClient<typeof scheduleRoutes>(connection, scheduleEndpoints),
    workflows: workflowClient(connection),
    approvals: nounClient<typeof approvalRoutes>(connection, approvalEndpoints),
    writeGrants: nounClient<typeof writeGrantRoutes>(connection, writeGrantEndpoints),
    questions: nounClient<typeof questionRoutes>(connection, questionEndpoints),
    claims: nounClient<typeof claimRoutes>(connection, claimEndpoints),
    credits: nounClient<typeof creditRoutes>(connection, creditEndpoints),
    pricing: nounClient<typeof pricingRoutes>(connection, pricingEndpoints),
    sessions: sessionClient(connection, options.webSocket),
    site: nounClient<WorkspaceNounRoutes["site"]>(connection, workspaceNounEndpoints.site),
    inboundEmail: nounClient<WorkspaceNounRoutes["inboundEmail"]>(
      connection,
      workspaceNounEndpoints.inboundEmail,
    ),
    workspaceSchedules: nounClient<WorkspaceNounRoutes["workspaceSchedules"]>(
      connection,
      workspaceNounEndpoints.workspaceSchedules,
    ),
    workspaceWorkflows: nounClient<WorkspaceNounRoutes["workspaceWorkflows"]>(
      connection,
      workspaceNounEndpoints.workspaceWorkflows,
    ),
    members: nounClient<WorkspaceNounRoutes["members"]>(connection, workspaceNounEndpoints.members),
    threads: nounClient<WorkspaceNounRoutes["threads"]>(connection, workspaceNounEndpoints.threads),
    workspaceRuns: nounClient<WorkspaceNounRoutes["workspaceRuns"]>(
      connection,
      workspaceNounEndpoints.workspaceRuns,
    ),
    contextItems: nounClient<WorkspaceNounRoutes["contextItems"]>(
      connection,
      workspaceNounEndpoints.contextItems,
    ),
    workspaces: nounClient<WorkspaceNounRoutes["workspaces"]>(connection, workspaceNounEndpoints.workspaces),
    workers: nounClient<WorkspaceNounRoutes["workers"]>(connection, workspaceNounEndpoints.workers),
    taskGroups: nounClient<WorkspaceNounRoutes["taskGroups"]>(connection, workspaceNounEndpoints.taskGroups),
    copies: nounClient<WorkspaceNounRoutes["copies"]>(connection, workspaceNounEndpoints.copies),
    revisions: nounClient<WorkspaceNounRoutes["revisions"]>(connection, workspaceNounEndpoints.revisions),
    adoption: nounClient<WorkspaceNounRoutes["adoption"]>(connection, workspaceNounEndpoints.adoption),
    operations: nounClient<WorkspaceNounRoutes["operations"]>(connection, workspaceNounEndpoints.operations),
    files: fileClient(connection),
    copyFiles: copyFileClient(connection),
    revisionFiles: nounClient<WorkspaceNounRoutes["revisionFiles"]>(
      connection,
      workspaceNounEndpoints.revisionFiles,
    ),
    downloads: nounClient<WorkspaceNounRoutes["downloads"]>(connection, workspaceNounEndpoints.downloads),
    retention: nounClient<WorkspaceNounRoutes["retention"]>(connection, workspaceNounEndpoints.retention),
    changesets: nounClient<WorkspaceNounRoutes["changesets"]>(connection, workspaceNounEndpoints.changesets),
    reviewActions: nounClient<WorkspaceNounRoutes["reviewActions"]>(
      connection,
      workspaceNounEndpoints.reviewActions,
    ),
  };
}
