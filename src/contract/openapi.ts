// The OpenAPI 3.1 document, made of the same schemas that validate. Pure.

import * as z from "zod/mini";
import {
  agentListSchema,
  agentSchema,
  createAgentRequestSchema,
  createAgentResponseSchema,
  updateAgentRequestSchema,
} from "./agent.ts";
import { ciRunPageSchema, DEFAULT_PAGE_EVENTS, MAX_PAGE_EVENTS, MAX_WAIT_SECONDS } from "./ci-run.ts";
import { claimRequestSchema, claimResponseSchema } from "./claim.ts";
import { creditsSchema } from "./credits.ts";
import { audienceResponseSchema, exchangeRequestSchema, exchangeResponseSchema } from "./exchange.ts";
import { healthSchema } from "./health.ts";
import { modelPricingSchema, toolPricingSchema } from "./pricing.ts";
import { problemSchema } from "./problem.ts";
import {
  cancelRunResponseSchema,
  DEFAULT_PAGE_RUNS,
  MAX_IDEMPOTENCY_KEY_CHARS,
  MAX_PAGE_RUNS,
  runListSchema,
  runSchema,
  submitRunRequestSchema,
  submitRunResponseSchema,
} from "./run.ts";
import { runEventSchema } from "./run-event.ts";
import { createScheduleRequestSchema, scheduleListSchema, scheduleSchema } from "./schedule.ts";
import { clientFrameSchema, serverFrameSchema } from "./socket.ts";
import {
  activateWorkflowRequestSchema,
  executeWorkflowRequestSchema,
  executeWorkflowResponseSchema,
  workflowSchema,
} from "./workflow.ts";

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

type SchemaName = keyof typeof documentSchemas;
type JsonObject = { readonly [key: string]: unknown };

const agentId = pathParameter("agentId", "The agent's id.", { type: "string", format: "uuid" });
const scheduleId = pathParameter("scheduleId", "The schedule's id.", { type: "string", format: "uuid" });
const runId = pathParameter("runId", "The run's id.", { type: "string" });
const capability = [{ capability: [] }];
const apiKey = [{ apiKey: [] }];
const capabilityOrKey = [{ capability: [] }, { apiKey: [] }];
const workflowId = pathParameter("workflowId", "The workflow's id.", { type: "string" });
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description: "Makes the request safe to repeat for 24 hours.",
  schema: { type: "string", minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_CHARS },
};
const retryAfter = { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } };

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  description: "An ETag of an earlier answer.",
  schema: { type: "string" },
};
const unchanged = { description: "Nothing has changed since the ETag." };

const problemDescriptions = {
  400: "The request is malformed.",
  401: "The credential or token is missing, malformed, ended or refused.",
  402: "Nobody pays for the run: `reason` says why, `claim_url` how that changes.",
  403: "Policy forbids it, or the resource belongs to another.",
  404: "There is no such thing.",
  409: "It is being answered already, or the run has ended.",
  413: "The body is too large.",
  415: "The body's type is not read here.",
  422: "The idempotency key was used for a different request.",
  426: "The request does not ask for a WebSocket.",
  429: "Too many requests, or no capacity.",
  503: "It cannot be answered now.",
} as const;

const paths = {
  "/v1/ci/oidc/audience": {
    get: {
      operationId: "getAudience",
      summary: "The audience that a job's OIDC token must name",
      security: [],
      responses: { 200: answer("The audience.", "AudienceResponse") },
    },
  },
  "/v1/ci/oidc/exchange": {
    post: {
      operationId: "exchangeToken",
      summary: "Exchange a CI job's OIDC token for a capability to run its repository's agent",
      description: "RFC 8693 names. A token is good for one exchange; mint a fresh one for every call.",
      security: [],
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: ref("ExchangeRequest") },
          "application/x-www-form-urlencoded": { schema: ref("ExchangeRequest") },
        },
      },
      responses: {
        200: answer("The capability.", "ExchangeResponse"),
        ...problems(400, 401, 403, 413, 415, 429, 503),
      },
    },
    delete: {
      operationId: "revokeCapability",
      summary: "End the capability that this request carries",
      security: capability,
      responses: { 204: { description: "It has ended." }, ...problems(401, 403) },
    },
  },
  "/v1/ci/claim": {
    post: {
      operationId: "claimRepository",
      summary: "Ask for a repository's agent, to pay for it and own it",
      description:
        "The owner's alone. The claim is pending until a job of the repository that only a writer can start names the account in its exchange. Safe to repeat with the same account.",
      security: apiKey,
      requestBody: {
        required: true,
        content: { "application/json": { schema: ref("ClaimRequest"), example: { claim: "svc_claim_…" } } },
      },
      responses: {
        200: answer("The agent is this account's.", "ClaimResponse"),
        202: answer("The claim waits for a job of the repository.", "ClaimResponse"),
        ...problems(400, 401, 403, 404, 409, 413, 415),
      },
    },
  },
  "/v1/agents": {
    post: {
      operationId: "createAgent",
      summary: "Make an agent, or get the one of that name",
      description:
        "`if_exists: return` gives the account's agent of the same name where there is one. An independent agent needs the idempotency key.",
      security: apiKey,
      parameters: [idempotencyKey],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: ref("CreateAgentRequest"),
            example: { name: "reviewer", if_exists: "return" },
          },
        },
      },
      responses: {
        200: answer("The agent that was there.", "CreateAgentResponse"),
        201: answer("The agent that was made.", "CreateAgentResponse"),
        ...problems(400, 401, 403, 413, 415, 422, 429),
      },
    },
    get: {
      operationId: "listAgents",
      summary: "The account's agents, newest first",
      security: apiKey,
      parameters: [
        queryParameter("include_independent", "Independent agents too.", {
          type: "boolean",
          default: false,
        }),
      ],
      responses: { 200: answer("The agents.", "AgentList"), ...problems(400, 401, 403) },
    },
  },
  "/v1/agents/{agentId}": {
    get: {
      operationId: "getAgent",
      summary: "An agent",
      security: apiKey,
      parameters: [agentId],
      responses: { 200: answer("The agent.", "Agent"), ...problems(401, 403, 404) },
    },
    patch: {
      operationId: "updateAgent",
      summary: "Change what an agent's advisor may spend a turn",
      description: "0 stops the advisor, null clears the cap.",
      security: apiKey,
      parameters: [agentId],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: ref("UpdateAgentRequest"),
            example: { advisor_max_spend_micro_usd: 250_000 },
          },
        },
      },
      responses: { 200: answer("The agent.", "Agent"), ...problems(400, 401, 403, 404, 413, 415) },
    },
  },
  "/v1/agents/{agentId}/stop": {
    post: {
      operationId: "stopAgent",
      summary: "Ask every run of an agent to end",
      description: "The agent stays, and takes new work.",
      security: apiKey,
      parameters: [agentId],
      responses: { 202: answer("They were asked.", "Agent"), ...problems(401, 403, 404) },
    },
  },
  "/v1/agents/{agentId}/retire": {
    post: {
      operationId: "retireAgent",
      summary: "Keep new work from an agent, for good",
      description: "What is in flight goes on. Safe to repeat.",
      security: apiKey,
      parameters: [agentId],
      responses: { 200: answer("The agent.", "Agent"), ...problems(401, 403, 404) },
    },
  },
  "/v1/agents/{agentId}/runs": {
    get: {
      operationId: "listRuns",
      summary: "An agent's runs, newest first",
      security: capabilityOrKey,
      parameters: [
        agentId,
        queryParameter("before", "The id of the run that the page comes after.", {
          type: "string",
          format: "uuid",
        }),
        queryParameter("limit", "Runs at most.", {
          type: "integer",
          minimum: 1,
          maximum: MAX_PAGE_RUNS,
          default: DEFAULT_PAGE_RUNS,
        }),
      ],
      responses: {
        200: {
          ...answer("A page of runs.", "RunList"),
          headers: { Link: header('The next page, `<…>; rel="next"`, where there is one.') },
        },
        ...problems(400, 401, 403, 404),
      },
    },
    post: {
      operationId: "submitRun",
      summary: "Queue a run",
      description: "With an idempotency key it is safe to repeat for 24 hours.",
      security: capabilityOrKey,
      parameters: [agentId, idempotencyKey],
      requestBody: { required: true, content: { "application/json": { schema: ref("SubmitRunRequest") } } },
      responses: {
        202: {
          ...answer(
            "Queued; or, with the key of an earlier request, the run that it made.",
            "SubmitRunResponse",
          ),
          headers: {
            "X-Svc-Run-Id": header("The run's id."),
            "X-Svc-Session-Id": header("The session's id."),
            "X-Svc-Idempotent-Replay": header('"true" when the run was made by an earlier request.'),
          },
        },
        ...problems(400, 401, 402, 403, 404, 409, 413, 415, 422, 429),
      },
    },
  },
  "/v1/agents/{agentId}/runs/{runId}": {
    get: {
      operationId: "getRun",
      summary: "A run's status and accounting",
      security: capabilityOrKey,
      parameters: [agentId, runId],
      responses: { 200: answer("The run.", "Run"), ...problems(401, 403, 404) },
    },
  },
  "/v1/agents/{agentId}/runs/{runId}/cancel": {
    post: {
      operationId: "cancelRun",
      summary: "Ask a run to end",
      security: capabilityOrKey,
      parameters: [agentId, runId],
      responses: { 202: answer("It was asked.", "CancelRunResponse"), ...problems(401, 403, 404, 409) },
    },
  },
  "/v1/agents/{agentId}/schedules": {
    post: {
      operationId: "createSchedule",
      summary: "Schedule one run",
      description:
        "Exactly one of `fire_at` and `delay_seconds`. What an AI client schedules waits for the owner at `confirm_url`. Without `session_id` the run continues the agent's latest session.",
      security: apiKey,
      parameters: [agentId],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: ref("CreateScheduleRequest"),
            example: { prompt: "Summarise the open pull requests.", delay_seconds: 3600 },
          },
        },
      },
      responses: {
        201: answer("The schedule.", "Schedule"),
        ...problems(400, 401, 403, 404, 413, 415),
      },
    },
    get: {
      operationId: "listSchedules",
      summary: "An agent's schedules, newest first",
      security: apiKey,
      parameters: [agentId],
      responses: { 200: answer("The schedules.", "ScheduleList"), ...problems(401, 403, 404) },
    },
  },
  "/v1/agents/{agentId}/schedules/{scheduleId}": {
    get: {
      operationId: "getSchedule",
      summary: "A schedule",
      description: "`done` says that its run has ended, not how: the run says that.",
      security: apiKey,
      parameters: [agentId, scheduleId],
      responses: { 200: answer("The schedule.", "Schedule"), ...problems(401, 403, 404) },
    },
    delete: {
      operationId: "cancelSchedule",
      summary: "Cancel a schedule that was not fired",
      description: "404 also when it was fired already: cancel its run then.",
      security: apiKey,
      parameters: [agentId, scheduleId],
      responses: { 200: answer("The cancelled schedule.", "Schedule"), ...problems(401, 403, 404) },
    },
  },
  "/v1/agents/{agentId}/schedules/{scheduleId}/confirm": {
    post: {
      operationId: "confirmSchedule",
      summary: "Let a schedule fire that an AI client made",
      description: "The owner's alone: an AI client gets 403 with a link for the owner. Safe to repeat.",
      security: apiKey,
      parameters: [agentId, scheduleId],
      responses: { 200: answer("The schedule.", "Schedule"), ...problems(401, 403, 404, 409) },
    },
  },
  "/v1/ci/runs/{runId}": {
    get: {
      operationId: "readCiRun",
      summary: "The durable events of a run, by cursor and long poll",
      description:
        "Events are AG-UI 1.0, numbered 1, 2, 3 … without a gap. See RunEvent for those that this service writes.",
      security: capabilityOrKey,
      parameters: [
        runId,
        queryParameter("after", "Events with a higher `seq`.", { type: "integer", minimum: 0, default: 0 }),
        queryParameter("wait", "Seconds to wait for the first new event.", {
          type: "integer",
          minimum: 0,
          maximum: MAX_WAIT_SECONDS,
          default: 0,
        }),
        queryParameter("limit", "Events at most.", {
          type: "integer",
          minimum: 1,
          maximum: MAX_PAGE_EVENTS,
          default: DEFAULT_PAGE_EVENTS,
        }),
        ifNoneMatch,
      ],
      responses: {
        200: { ...answer("A page of events.", "CiRunPage"), headers: { ETag: header("Names this answer.") } },
        304: unchanged,
        ...problems(400, 401, 403, 404),
      },
    },
  },
  "/v1/workflows/{workflowId}/activate": {
    post: {
      operationId: "activateWorkflow",
      summary: "Make a version of a workflow the one that executions run",
      description: "The owner's alone: an AI client gets 403 with a link for the owner.",
      security: apiKey,
      parameters: [workflowId],
      requestBody: { content: { "application/json": { schema: ref("ActivateWorkflowRequest") } } },
      responses: { 200: answer("The workflow.", "Workflow"), ...problems(400, 401, 403, 404, 413, 415) },
    },
  },
  "/v1/workflows/{workflowId}/executions": {
    post: {
      operationId: "executeWorkflow",
      summary: "Run a workflow",
      description:
        "Runs the active version. One that is not active is the owner's alone, and runs its newest version.",
      security: apiKey,
      parameters: [workflowId, idempotencyKey],
      requestBody: { content: { "application/json": { schema: ref("ExecuteWorkflowRequest") } } },
      responses: {
        202: answer("Queued.", "ExecuteWorkflowResponse"),
        ...problems(400, 401, 402, 403, 404, 409, 413, 415, 422, 429),
      },
    },
  },
  "/v1/users/{userId}/credits": {
    get: {
      operationId: "getCredits",
      summary: "An account's credits, its plan and what it can buy",
      description:
        "For the account itself alone. `balance` counts whole credits; what runs hold is taken off.",
      security: apiKey,
      parameters: [
        pathParameter("userId", "The caller's own account id.", { type: "string", format: "uuid" }),
      ],
      responses: { 200: answer("The credits.", "Credits"), ...problems(401, 403) },
    },
  },
  "/v1/pricing/models": {
    get: {
      operationId: "getModelPricing",
      summary: "What models cost",
      description:
        "Amounts are nano-USD a token; 1 USD is 120 credits. Changes only when the service restarts.",
      security: [],
      parameters: [ifNoneMatch],
      responses: { 200: kept("The rate card.", "ModelPricing"), 304: unchanged },
    },
  },
  "/v1/pricing/tools": {
    get: {
      operationId: "getToolPricing",
      summary: "What tools and workflows cost",
      security: [],
      parameters: [ifNoneMatch],
      responses: { 200: kept("The rate card.", "ToolPricing"), 304: unchanged },
    },
  },
  "/v1/ws": {
    get: {
      operationId: "openSocket",
      summary: "The session WebSocket: subscribe to runs and sessions, submit, cancel",
      description:
        "Text frames, one JSON object each: SocketClientFrame in, SocketServerFrame out. Without the header Authorization, the first frame is `auth`, within 10 seconds. A header Origin must be the service's own or the web app's.",
      security: [{}, ...capabilityOrKey],
      responses: { 101: { description: "The socket is open." }, ...problems(401, 403, 426, 503) },
    },
  },
  "/metrics": {
    get: {
      operationId: "getMetrics",
      summary: "What the service counts, for Prometheus",
      security: [],
      responses: {
        200: {
          description: "The metrics.",
          content: { "text/plain": { schema: { type: "string" } } },
        },
        404: answer("The operator has switched metrics off.", "Problem"),
      },
    },
  },
  "/healthz": {
    get: {
      operationId: "getHealth",
      summary: "The process lives",
      security: [],
      responses: { 200: answer("It lives.", "Health") },
    },
  },
  "/readyz": {
    get: {
      operationId: "getReadiness",
      summary: "The service can do its work",
      security: [],
      responses: {
        200: answer("It can.", "Health"),
        503: answer("It is stopping, or its store does not answer.", "Health"),
      },
    },
  },
} as const;

/** The document for a service at `baseUrl`. */
export function openApiDocument(baseUrl: string): JsonObject {
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent Service",
      version: "1.0.0",
      description: "Run an AI agent on a repository from CI, with no secret stored anywhere.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An account's key, `svc_sk_…`, or an AI client's, `svc_at_…`.",
        },
        capability: {
          type: "http",
          scheme: "bearer",
          description: "A capability from `POST /v1/ci/oidc/exchange`: one agent, 15 minutes.",
        },
      },
      schemas: Object.fromEntries(
        Object.entries(documentSchemas).map(([name, schema]) => [name, toJsonSchema(schema)]),
      ),
    },
  };
}

function toJsonSchema(schema: z.core.$ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12" });
  return rest;
}

function ref(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function answer(description: string, name: SchemaName) {
  return { description, content: { "application/json": { schema: ref(name) } } };
}

/** An answer that a client may keep for a while. */
function kept(description: string, name: SchemaName) {
  const headers = { ETag: header("Names this answer."), "Cache-Control": header("How long it may be kept.") };
  return { ...answer(description, name), headers };
}

function header(description: string) {
  return { description, schema: { type: "string" } };
}

function pathParameter(name: string, description: string, schema: JsonObject) {
  return { name, in: "path", required: true, description, schema };
}

function queryParameter(name: string, description: string, schema: JsonObject) {
  return { name, in: "query", description, schema };
}

function problems(...statuses: (keyof typeof problemDescriptions)[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        ...answer(problemDescriptions[status], "Problem"),
        ...(status === 429 || status === 503 || status === 409 ? { headers: retryAfter } : {}),
      },
    ]),
  );
}
