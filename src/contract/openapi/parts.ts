// What the paths of the OpenAPI document are made of: parameters, answers, problems. Pure.

import { MAX_IDEMPOTENCY_KEY_CHARS } from "../run.ts";
import type { SchemaName } from "./schemas.ts";

export type JsonObject = { readonly [key: string]: unknown };

export const agentId = pathParameter("agentId", "The agent's id.", { type: "string", format: "uuid" });
export const scheduleId = pathParameter("scheduleId", "The schedule's id.", {
  type: "string",
  format: "uuid",
});
export const runId = pathParameter("runId", "The run's id.", { type: "string" });
export const capability = [{ capability: [] }];
export const apiKey = [{ apiKey: [] }];
export const capabilityOrKey = [{ capability: [] }, { apiKey: [] }];
export const workflowId = pathParameter("workflowId", "The workflow's id.", { type: "string" });
export const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description: "Makes the request safe to repeat for 24 hours.",
  schema: { type: "string", minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_CHARS },
};
const retryAfter = { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } };

export const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  description: "An ETag of an earlier answer.",
  schema: { type: "string" },
};
export const unchanged = { description: "Nothing has changed since the ETag." };

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

export function ref(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

export function answer(description: string, name: SchemaName) {
  return { description, content: { "application/json": { schema: ref(name) } } };
}

/** An answer that a client may keep for a while. */
export function kept(description: string, name: SchemaName) {
  const headers = { ETag: header("Names this answer."), "Cache-Control": header("How long it may be kept.") };
  return { ...answer(description, name), headers };
}

export function header(description: string) {
  return { description, schema: { type: "string" } };
}

export function pathParameter(name: string, description: string, schema: JsonObject) {
  return { name, in: "path", required: true, description, schema };
}

export function queryParameter(name: string, description: string, schema: JsonObject) {
  return { name, in: "query", description, schema };
}

export function problems(...statuses: (keyof typeof problemDescriptions)[]) {
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
