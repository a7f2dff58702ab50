// What the paths of the OpenAPI document are made of: parameters, answers, headers. Pure.

import { MAX_IDEMPOTENCY_KEY_CHARS } from "../runs/run.ts";
import type { ExampleName } from "./examples.ts";
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
export const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  description: "An ETag of an earlier answer.",
  schema: { type: "string" },
};

/** Every header that an answer may carry. */
export const documentHeaders = {
  "X-Request-Id": header("Names the request in the service's log."),
  "Retry-After": header("Seconds to wait.", { type: "integer" }),
  "WWW-Authenticate": header("`Bearer`, where a credential is needed."),
  Upgrade: header("`websocket`."),
  ETag: header("Names this answer."),
  "Cache-Control": header("How long it may be kept."),
  Link: header('The next page, `<…>; rel="next"`, where there is one.'),
  "X-Svc-Run-Id": header("The run's id."),
  "X-Svc-Session-Id": header("The session's id."),
  "X-Svc-Idempotent-Replay": header('"true" when the run was made by an earlier request.'),
} as const;
export type HeaderName = keyof typeof documentHeaders;

export const unchanged = {
  description: "Nothing has changed since the ETag.",
  headers: headers("X-Request-Id", "ETag", "Cache-Control"),
};

export function ref(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** An answer in JSON, with the names of its examples. */
export function answer<Name extends SchemaName>(
  description: string,
  name: Name,
  ...examples: ExampleName<Name>[]
) {
  return { description, headers: headers("X-Request-Id"), ...json(name, ...examples) };
}

/** An answer that a client may keep for a while. */
export function kept<Name extends SchemaName>(
  description: string,
  name: Name,
  ...examples: ExampleName<Name>[]
) {
  return {
    ...answer(description, name, ...examples),
    headers: headers("X-Request-Id", "ETag", "Cache-Control"),
  };
}

/** A body or an answer in JSON, with the names of its examples. */
export function json<Name extends SchemaName>(name: Name, ...examples: ExampleName<Name>[]) {
  return { content: { "application/json": media(name, ...examples) } };
}

export function media<Name extends SchemaName>(name: Name, ...examples: ExampleName<Name>[]): JsonObject {
  const named = examples.map((example) => [example, { $ref: `#/components/examples/${String(example)}` }]);
  return { schema: ref(name), examples: Object.fromEntries(named) };
}

export function headers(...names: HeaderName[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string, schema: JsonObject = { type: "string" }) {
  return { description, schema };
}

export function pathParameter(name: string, description: string, schema: JsonObject) {
  return { name, in: "path", required: true, description, schema };
}

export function queryParameter(name: string, description: string, schema: JsonObject) {
  return { name, in: "query", description, schema };
}
