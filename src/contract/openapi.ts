// The OpenAPI 3.1 document, made of the same schemas that validate. Pure.

import * as z from "zod/mini";
import { ciRunPageSchema, DEFAULT_PAGE_EVENTS, MAX_PAGE_EVENTS, MAX_WAIT_SECONDS } from "./ci-run.ts";
import { audienceResponseSchema, exchangeRequestSchema, exchangeResponseSchema } from "./exchange.ts";
import { healthSchema } from "./health.ts";
import { problemSchema } from "./problem.ts";
import {
  cancelRunResponseSchema,
  MAX_IDEMPOTENCY_KEY_CHARS,
  runSchema,
  submitRunRequestSchema,
  submitRunResponseSchema,
} from "./run.ts";
import { runEventSchema } from "./run-event.ts";

const schemas = {
  Problem: problemSchema,
  ExchangeRequest: exchangeRequestSchema,
  ExchangeResponse: exchangeResponseSchema,
  AudienceResponse: audienceResponseSchema,
  SubmitRunRequest: submitRunRequestSchema,
  SubmitRunResponse: submitRunResponseSchema,
  CancelRunResponse: cancelRunResponseSchema,
  Run: runSchema,
  RunEvent: runEventSchema,
  CiRunPage: ciRunPageSchema,
  Health: healthSchema,
};

type SchemaName = keyof typeof schemas;
type JsonObject = { readonly [key: string]: unknown };

const agentId = pathParameter("agentId", "The agent's id.", { type: "string", format: "uuid" });
const runId = pathParameter("runId", "The run's id.", { type: "string" });
const capability = [{ capability: [] }];
const retryAfter = { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } };

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
      responses: { 204: { description: "It has ended." }, ...problems(401) },
    },
  },
  "/v1/agents/{agentId}/runs": {
    post: {
      operationId: "submitRun",
      summary: "Queue a run",
      description: "With an idempotency key it is safe to repeat for 24 hours.",
      security: capability,
      parameters: [
        agentId,
        {
          name: "Idempotency-Key",
          in: "header",
          description: "Wins over the body's `idempotency_key`.",
          schema: { type: "string", minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_CHARS },
        },
      ],
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
      security: capability,
      parameters: [agentId, runId],
      responses: { 200: answer("The run.", "Run"), ...problems(401, 403, 404) },
    },
  },
  "/v1/agents/{agentId}/runs/{runId}/cancel": {
    post: {
      operationId: "cancelRun",
      summary: "Ask a run to end",
      security: capability,
      parameters: [agentId, runId],
      responses: { 202: answer("It was asked.", "CancelRunResponse"), ...problems(401, 403, 404, 409) },
    },
  },
  "/v1/ci/runs/{runId}": {
    get: {
      operationId: "readCiRun",
      summary: "The durable events of a run, by cursor and long poll",
      description:
        "Events are AG-UI 1.0, numbered 1, 2, 3 … without a gap. See RunEvent for those that this service writes.",
      security: capability,
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
        {
          name: "If-None-Match",
          in: "header",
          description: "An ETag of an earlier answer.",
          schema: { type: "string" },
        },
      ],
      responses: {
        200: { ...answer("A page of events.", "CiRunPage"), headers: { ETag: header("Names this answer.") } },
        304: { description: "Nothing has changed since the ETag." },
        ...problems(400, 401, 403, 404),
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
        capability: {
          type: "http",
          scheme: "bearer",
          description: "A capability from `POST /v1/ci/oidc/exchange`: one agent, 15 minutes.",
        },
      },
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)]),
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
