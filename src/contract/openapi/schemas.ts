// Every schema of the OpenAPI document. Pure.

import {
  agentListSchema,
  agentSchema,
  createAgentRequestSchema,
  createAgentResponseSchema,
  updateAgentRequestSchema,
} from "../agent.ts";
import { ciIdentitySchema } from "../ci-identity.ts";
import { ciRunPageSchema } from "../ci-run.ts";
import { claimRequestSchema, claimResponseSchema } from "../claim.ts";
import { creditsSchema } from "../credits.ts";
import { audienceResponseSchema, exchangeRequestSchema, exchangeResponseSchema } from "../exchange.ts";
import { healthSchema } from "../health.ts";
import { modelPricingSchema, toolPricingSchema } from "../pricing.ts";
import { problemSchema } from "../problem.ts";
import {
  cancelRunResponseSchema,
  runListSchema,
  runSchema,
  submitRunRequestSchema,
  submitRunResponseSchema,
} from "../run.ts";
import { runEventSchema } from "../run-event.ts";
import { createScheduleRequestSchema, scheduleListSchema, scheduleSchema } from "../schedule.ts";
import { clientFrameSchema, serverFrameSchema } from "../socket.ts";
import {
  activateWorkflowRequestSchema,
  executeWorkflowRequestSchema,
  executeWorkflowResponseSchema,
  workflowSchema,
} from "../workflow.ts";

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
