// One route as an operation of the OpenAPI document. Pure.

import type * as z from "zod/mini";
import type { RouteExamples } from "../examples.ts";
import { textOf } from "../field.ts";
import { type DocumentHeader, type RequestHeader, requestHeaders } from "../headers.ts";
import { pathParameters } from "../path-parameters.ts";
import { problemAnswers } from "../problems/problem-answers.ts";
import {
  type ByteBody,
  type CallerKind,
  type JsonBody,
  parameterNames,
  type Query,
  type Route,
  refusalsOf,
} from "../route.ts";
import { clientFrameSchema } from "../sessions/client-frames.ts";
import { serverFrameSchema } from "../sessions/socket.ts";
import type { NamedExamples } from "../story.ts";
import { type JsonObject, toJsonSchema } from "./json-schema.ts";

type SchemaNames = (schema: z.ZodMiniType) => string;

const BYTES = "application/octet-stream";
/** The answer of the parser of HTTP before any route is found. */
export const headersTooLarge = {
  name: "HeadersTooLarge",
  description:
    "Address and headers have more than 16 KB together. There is no body, because the request was not read, and the connection ends.",
} as const;
const ONE_KEY_OF: Readonly<Record<CallerKind, string>> = {
  job: "capability",
  owner: "apiKey",
  ai_client: "apiKey",
};

export function operationOf(
  route: Route,
  { examples, nameOf }: { examples: RouteExamples; nameOf: SchemaNames },
): JsonObject {
  const { operationId, tag, summary, description, body } = route;
  const parameters = parametersOf(route);
  const { frames } = examples;
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, examples.body ?? {}, nameOf) }),
    ...(frames === undefined
      ? {}
      : {
          "x-frames": {
            client: media(nameOf(clientFrameSchema), frames.client),
            server: media(nameOf(serverFrameSchema), frames.server),
          },
        }),
    responses: {
      ...answersOf(route, examples, nameOf),
      ...Object.fromEntries(
        refusalsOf(route)
          // A status that is an answer of the route has that answer's body.
          .filter((status) => !(status in route.answers))
          .map((status) => [status, { $ref: `#/components/responses/${problemAnswers[status].name}` }]),
      ),
      // docs/decisions/121-what-the-document-declares-is-answered.md
      431: { $ref: `#/components/responses/${headersTooLarge.name}` },
    },
  };
}

/** A socket can also authenticate itself by its first frame. */
function securityOf({ callers, answer, scopes }: Route): readonly JsonObject[] {
  const keys: JsonObject[] = [...new Set(callers.map((caller) => ONE_KEY_OF[caller]))].map((key) => ({
    [key]: [],
  }));
  if (scopes !== undefined && callers.includes("ai_client")) keys.push({ oauth: scopes });
  return answer === "socket" ? [{}, ...keys] : keys;
}

function parametersOf(route: Route): readonly JsonObject[] {
  const inPath = parameterNames(route.path).map((name) => {
    const { description, schema } = pathParameters[name as keyof typeof pathParameters];
    return { name, in: "path", required: true, description, schema };
  });
  const inHeader = headersOf(route).map((name) => ({ name, in: "header", ...requestHeaders[name] }));
  return [...inPath, ...(route.query === undefined ? [] : queryOf(route.query)), ...inHeader];
}

function headersOf({ repeat, isTagged, headers = [] }: Route): readonly RequestHeader[] {
  const key = repeat === "keyed" ? (["Idempotency-Key"] as const) : [];
  return [...key, ...(isTagged === true ? (["If-None-Match"] as const) : []), ...headers];
}

function queryOf({ schema }: Query): readonly JsonObject[] {
  return Object.entries(schema.shape).map(([name, value]) => ({
    name,
    in: "query",
    // Without it the request is refused.
    ...((value as z.ZodMiniType).safeParse(undefined).success ? {} : { required: true }),
    description: textOf(value),
    schema: toJsonSchema(value as z.ZodMiniType),
  }));
}

function bodyOf(body: JsonBody | ByteBody, examples: NamedExamples, nameOf: SchemaNames): JsonObject {
  if (body.kind === "bytes") {
    return { required: true, content: Object.fromEntries(body.types.map((type) => [type, {}])) };
  }
  const content = media(nameOf(body.schema), examples);
  return {
    required: !body.isOptional,
    content: {
      "application/json": content,
      ...(body.acceptsForm ? { "application/x-www-form-urlencoded": content } : {}),
    },
  };
}

function answersOf(route: Route, examples: RouteExamples, nameOf: SchemaNames): Record<string, JsonObject> {
  const { answer, answers, isTagged = false, cacheControl, repeat } = route;
  const cached: readonly DocumentHeader[] = [
    ...(isTagged ? (["ETag"] as const) : []),
    ...(cacheControl === undefined ? [] : (["Cache-Control"] as const)),
    ...(repeat === "keyed" ? (["X-Svc-Idempotent-Replay"] as const) : []),
  ];
  const said: Record<string, JsonObject> = {};
  for (const [status, text] of Object.entries(answers)) {
    const {
      description,
      headers,
      type = BYTES,
    } = typeof text === "string" ? { description: text, headers: [] } : text;
    if (answer === "socket") {
      said[status] = { description };
      continue;
    }
    const content =
      typeof answer === "string"
        ? contentOf(answer, type)
        : { "application/json": media(nameOf(answer), examples.answers?.[Number(status)] ?? {}) };
    said[status] = {
      description,
      headers: headerRefs(["X-Request-Id", ...cached, ...headers]),
      ...(content === null ? {} : { content }),
    };
  }
  if (route.headers?.includes("Range")) {
    const ranged = headerRefs(["X-Request-Id", "Content-Range", "Content-Length", ...cached]);
    said[206] = { description: "The range.", headers: ranged, content: { [BYTES]: {} } };
  }
  if (isTagged) {
    said[304] = {
      description: "Nothing has changed since the ETag.",
      headers: headerRefs(["X-Request-Id", ...cached]),
    };
  }
  return said;
}

function contentOf(answer: "nothing" | "bytes", type: string): JsonObject | null {
  return answer === "nothing" ? null : { [type]: {} };
}

/** A body or an answer of a named schema, with the names of its examples. */
export function media(name: string, examples: NamedExamples): JsonObject {
  return {
    schema: { $ref: `#/components/schemas/${name}` },
    examples: Object.fromEntries(
      Object.keys(examples).map((example) => [example, { $ref: `#/components/examples/${example}` }]),
    ),
  };
}

export function headerRefs(names: readonly DocumentHeader[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    [...new Set(names)].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
