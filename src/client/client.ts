// The typed client: one method a route, by noun. No environment, no node: module; schemas load with the first answer.

import { type AgentClient, agentClient } from "./agents.ts";
import { type ClaimClient, claimClient } from "./claims.ts";
import { type CreditsClient, creditsClient } from "./credits.ts";
import { type ClientOptions, connect, type JobClient, jobClient } from "./job-client.ts";
import { type ScheduleClient, scheduleClient } from "./schedules.ts";
import { type SessionClient, sessionClient } from "./session.ts";
import { type WorkflowClient, workflowClient } from "./workflows.ts";

// What a program needs to name beside the client itself: this file is the package's entry.
export type {
  Agent,
  CreateAgentRequest,
  CreateAgentResponse,
  UpdateAgentRequest,
} from "../contract/agents/agent.ts";
export type { CiIdentity } from "../contract/ci/ci-identity.ts";
export type { CiRunPage } from "../contract/ci/ci-run.ts";
export type { AudienceResponse, ExchangeResponse } from "../contract/ci/exchange.ts";
export type { ClaimResponse } from "../contract/claims/claim.ts";
export type { Credits } from "../contract/money/credits.ts";
export type { ModelPricing, ToolPricing } from "../contract/money/pricing.ts";
export type { CancelRunResponse, Run, SubmitRunRequest } from "../contract/runs/run.ts";
export type { StoredRunEvent } from "../contract/runs/run-event.ts";
export type { CreateScheduleRequest, Schedule } from "../contract/schedules/schedule.ts";
export type {
  ActivateWorkflowRequest,
  ExecuteWorkflowRequest,
  ExecuteWorkflowResponse,
  Workflow,
} from "../contract/workflows/workflow.ts";
export type { AgentAddress, AgentClient, CreateAgentOptions } from "./agents.ts";
export type { CallOptions, CiClient, ExchangeOptions, ReadCiRunOptions } from "./ci.ts";
export type { ClaimClient } from "./claims.ts";
export type { CreditsClient } from "./credits.ts";
export {
  ApiError,
  ClientError,
  ConnectionError,
  DecodeError,
  EventGapError,
  TimeoutError,
} from "./errors.ts";
export type { FollowedRun, FollowOptions } from "./follow.ts";
export type { ClientOptions, JobClient } from "./job-client.ts";
export type { Credential } from "./request.ts";
export type { ListRunsOptions, RunAddress, RunClient, SubmitRunOptions, SubmittedRun } from "./runs.ts";
export type { ScheduleAddress, ScheduleClient } from "./schedules.ts";
export type { FollowedSession, SessionClient, SessionItem, SessionOptions } from "./session.ts";
export { SessionRefusedError } from "./session.ts";
export type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
export type { ExecuteWorkflowOptions, WorkflowAddress, WorkflowClient } from "./workflows.ts";

/** Rejects and retries as a JobClient does. */
export type Client = JobClient &
  AgentClient &
  ScheduleClient &
  CreditsClient &
  WorkflowClient &
  ClaimClient &
  SessionClient;

/** Makes a client. Opens nothing until a method is called. */
export function createClient(options: ClientOptions): Client {
  const connection = connect(options);
  return {
    ...jobClient(connection),
    ...sessionClient(connection),
    ...agentClient(connection),
    ...scheduleClient(connection),
    ...creditsClient(connection),
    ...workflowClient(connection),
    ...claimClient(connection),
  };
}
