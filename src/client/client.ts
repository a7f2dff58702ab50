// The typed client, grouped by noun: one method a route, named as in the route table (`runs.submit` is the operation
// `runsSubmit`). No environment, no node: module; schemas load with the first answer.

import * as endpoints from "../contract/endpoints.ts";
import type { Routes } from "../contract/routes.ts";
import { callBytes, isByteSource } from "./bytes.ts";
import { type ConnectOptions, connect, type JobClient, jobClient } from "./job-client.ts";
import { type NounClient, nounClient } from "./noun-client.ts";
import { type SessionClient, sessionClient, type WebSocketConstructor } from "./session.ts";
import { type WorkflowClient, workflowClient } from "./workflows.ts";
import { type CopyFileClient, copyFileClient, type FileClient, fileClient } from "./workspace-files.ts";

// Types that a program needs to name beside the client itself: this file is the package's entry.
export type { BackoffPolicy, RetryNotice } from "../base/backoff.ts";
export type { Clock } from "../base/clock.ts";
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
export type { ClaimResponse } from "../contract/claims.ts";
export type { Credits, ModelPricing, ToolPricing } from "../contract/money/money.ts";
export type { WrongField } from "../contract/problems/problem.ts";
export type { AnswerQuestionRequest, Question } from "../contract/questions.ts";
export type { RepositoryAccess } from "../contract/repository-access.ts";
export type { CancelRunResponse, Run } from "../contract/runs/run.ts";
export type { ForeignEvent, RunEvent, StoredRunEvent } from "../contract/runs/run-event.ts";
export type { SubmitRunRequest } from "../contract/runs/run-requests.ts";
export type { CreateScheduleRequest, Schedule } from "../contract/schedules/schedule.ts";
export type { SessionCursor } from "../contract/sessions/socket.ts";
export type {
  ActivateWorkflowRequest,
  ExecuteWorkflowRequest,
  ExecuteWorkflowResponse,
  Workflow,
} from "../contract/workflows.ts";
export type { ChangesetView as Changeset } from "../contract/workspaces/changesets/changeset.ts";
export type { CopyView as WorkspaceCopy } from "../contract/workspaces/copies/copy.ts";
export type { FileEntryView as WorkspaceFile } from "../contract/workspaces/files/files.ts";
export type { OperationView as WorkspaceOperation } from "../contract/workspaces/operations.ts";
export type { RevisionView as WorkspaceRevision } from "../contract/workspaces/revisions.ts";
export type { WorkspaceView as Workspace } from "../contract/workspaces/workspace/workspace.ts";
export type { WriteGrant } from "../contract/write-grants.ts";
export type { ByteSource, Bytes, Download, SizedBytes } from "./byte-source.ts";
export type { CiClient, ExchangeOptions } from "./ci.ts";
export type { CommitClient, SendCommitOptions } from "./commits.ts";
export type { EditConflictFields, EditedFile, EditOptions } from "./edit-file.ts";
export { EditConflictError } from "./edit-file.ts";
export type { ClientErrorCode } from "./errors.ts";
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

/** How to reach the service, and as whom. Only `baseUrl` is required. */
export type ClientOptions = ConnectOptions & {
  /** For `sessions.follow`, in the place of the platform's or, on Node before version 22, of the one that is built in. */
  readonly webSocket?: WebSocketConstructor;
};

/** The nouns whose clients have methods of their own beside those of the routes. */
type OwnClients = JobClient & {
  /** Workflows of an account. */
  readonly workflows: WorkflowClient;
  /** Sessions, followed over a WebSocket. */
  readonly sessions: SessionClient;
  /** Files of a workspace's canonical copy, with `edit`. */
  readonly files: FileClient;
  /** Files of a working copy, with `edit`. */
  readonly copyFiles: CopyFileClient;
};

/** A client for each noun. Rejects and retries as a JobClient does. Probes of an operator have none. */
export type Client = OwnClients & {
  readonly [Noun in Exclude<keyof Routes, keyof OwnClients | "operation">]: NounClient<Routes[Noun]>;
};

/** Makes a client. Opens nothing until a method is called. */
export function createClient(options: ClientOptions): Client {
  const connection = { ...connect(options), streams: { callBytes, isByteSource } };
  const { workspaceAddresses: _, operation: __, ...nouns } = endpoints;
  const clients = Object.entries(nouns).map(([noun, ofNoun]) => [noun, nounClient(connection, ofNoun)]);
  return {
    ...Object.fromEntries(clients),
    ...jobClient(connection),
    workflows: workflowClient(connection),
    sessions: sessionClient(connection, options.webSocket),
    files: fileClient(connection),
    copyFiles: copyFileClient(connection),
  };
}
