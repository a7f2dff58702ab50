// Every schema of the OpenAPI document. Pure.

import {
  agentListSchema,
  agentSchema,
  createAgentRequestSchema,
  createAgentResponseSchema,
  updateAgentRequestSchema,
} from "../agents/agent.ts";
import { ciIdentitySchema } from "../ci/ci-identity.ts";
import { ciRunPageSchema } from "../ci/ci-run.ts";
import { audienceResponseSchema, exchangeRequestSchema, exchangeResponseSchema } from "../ci/exchange.ts";
import { claimRequestSchema, claimResponseSchema } from "../claims/claim.ts";
import { creditsSchema } from "../money/credits.ts";
import { modelPricingSchema, toolPricingSchema } from "../money/pricing.ts";
import { healthSchema } from "../operation/health.ts";
import { problemSchema } from "../problems/problem.ts";
import {
  cancelRunResponseSchema,
  runListSchema,
  runSchema,
  submitRunRequestSchema,
  submitRunResponseSchema,
} from "../runs/run.ts";
import { runEventSchema } from "../runs/run-event.ts";
import { createScheduleRequestSchema, scheduleListSchema, scheduleSchema } from "../schedules/schedule.ts";
import { clientFrameSchema, serverFrameSchema } from "../sessions/socket.ts";
import {
  activateWorkflowRequestSchema,
  executeWorkflowRequestSchema,
  executeWorkflowResponseSchema,
  workflowSchema,
} from "../workflows/workflow.ts";

/** Every schema of the document, by its name there. */
export const documentSchemas = {
  Workflow: workflowSchema,
  SocketClientFrame: clientFrameSchema,
  SocketServerFrame: serverFrameSchema,
  ActivateWorkflowRequest: activateWorkflowRequestSchema,
  ExecuteWorkflowRequest: executeWorkflowRequestSchema,
  ExecuteWorkflowResponse: executeWorkflowResponseSchema,
  Problem: problemSchema,
  ExchangeRequest: exchangeRequestSchema,
  ExchangeResponse: exchangeResponseSchema,
  AudienceResponse: audienceResponseSchema,
  CiIdentity: ciIdentitySchema,
  ClaimRequest: claimRequestSchema,
  ClaimResponse: claimResponseSchema,
  Agent: agentSchema,
  AgentList: agentListSchema,
  CreateAgentRequest: createAgentRequestSchema,
  CreateAgentResponse: createAgentResponseSchema,
  UpdateAgentRequest: updateAgentRequestSchema,
  SubmitRunRequest: submitRunRequestSchema,
  SubmitRunResponse: submitRunResponseSchema,
  CancelRunResponse: cancelRunResponseSchema,
  Run: runSchema,
  RunList: runListSchema,
  RunEvent: runEventSchema,
  CiRunPage: ciRunPageSchema,
  Health: healthSchema,
  Schedule: scheduleSchema,
  ScheduleList: scheduleListSchema,
  CreateScheduleRequest: createScheduleRequestSchema,
  Credits: creditsSchema,
  ModelPricing: modelPricingSchema,
  ToolPricing: toolPricingSchema,
};

export type SchemaName = keyof typeof documentSchemas;
