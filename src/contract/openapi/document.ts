// The OpenAPI 3.1 document, made of the route table and of the same schemas that validate. Pure.

import type * as z from "zod/mini";
import type { RouteExamples } from "../examples.ts";
import { answerHeaders, type DocumentHeader } from "../headers.ts";
import { scopeTexts } from "../oauth/scopes.ts";
import { problemExamples } from "../problems/examples.ts";
import { type ProblemStatus, problemAnswers } from "../problems/problem-answers.ts";
import { type Route, refusalsOf } from "../route.ts";
import { routes } from "../routes.ts";
import type { NamedExamples } from "../story.ts";
import { tags } from "../tags.ts";
import { components, examples } from "./components.ts";
import { type JsonObject, toJsonSchemas } from "./json-schema.ts";
import { headerRefs, headersTooLarge, media, operationOf } from "./operation.ts";
import { API_VERSION } from "./version.ts";

type Documented = { readonly route: Route; readonly examples: RouteExamples };

/** Every route with its examples, in the order of the table. */
const documented: readonly Documented[] = Object.entries(routes).flatMap(([noun, ofNoun]) => {
  const given: Readonly<Record<string, RouteExamples>> = examples[noun as keyof typeof examples];
  return Object.entries(ofNoun).map(([name, route]) => ({ route, examples: given[name] ?? {} }));
});

/** The document for a service at `baseUrl`. */
export function openApiDocument(baseUrl: string): JsonObject {
  const statuses = usedStatuses();
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent Service",
      version: API_VERSION,
      description: "Run an AI agent on a repository from CI, with no secret stored anywhere.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    tags,
    paths: pathsOf(),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An account's key, `svc_sk_…`, or an AI client's, `svc_at_…`.",
        },
        oauth: {
          type: "oauth2",
          description:
            "An access token of an application, which is an AI client. Its metadata is at `/.well-known/oauth-authorization-server`.",
          flows: {
            authorizationCode: {
              authorizationUrl: `${baseUrl}/oauth/authorize`,
              tokenUrl: `${baseUrl}/oauth/token`,
              refreshUrl: `${baseUrl}/oauth/token`,
              scopes: scopeTexts,
            },
          },
        },
        capability: {
          type: "http",
          scheme: "bearer",
          description: "A capability from `POST /v1/ci/oidc/exchange`: one agent, 15 minutes.",
        },
      },
      headers: usedHeaders(statuses),
      responses: {
        ...problemResponses(statuses),
        [headersTooLarge.name]: { description: headersTooLarge.description },
      },
      examples: namedExamples(statuses),
      schemas: toJsonSchemas(components),
    },
  };
}

function pathsOf(): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const { route, examples: given } of documented) {
    const operation = operationOf(route, {
      examples: given,
      nameOf: (schema) => nameOf(schema, route),
    });
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  return paths;
}

const names = new Map<z.ZodMiniType, string>(
  Object.entries(components).map(([name, { schema }]) => [schema, name]),
);

/** Throws for a body or an answer whose noun's components do not have it. */
function nameOf(schema: z.ZodMiniType, { method, path }: Pick<Route, "method" | "path">): string {
  const name = names.get(schema);
  if (name !== undefined) return name;
  throw new TypeError(
    `A schema of ${method} ${path} has no name. Name it among the components, in the file of the noun's routes.`,
  );
}

function usedStatuses(): readonly ProblemStatus[] {
  const statuses = new Set(documented.flatMap(({ route }) => refusalsOf(route)));
  return [...statuses].sort((one, other) => one - other);
}

function usedHeaders(statuses: readonly ProblemStatus[]): JsonObject {
  const used = new Set<DocumentHeader>(["X-Request-Id"]);
  for (const status of statuses) for (const name of refusalHeaders(status)) used.add(name);
  for (const { route } of documented) {
    if (route.isTagged === true) used.add("ETag");
    if (route.cacheControl !== undefined) used.add("Cache-Control");
    for (const answer of Object.values(route.answers)) {
      if (typeof answer !== "string") for (const name of answer.headers) used.add(name);
    }
  }
  return Object.fromEntries([...used].map((name) => [name, answerHeaders[name]]));
}

function problemResponses(statuses: readonly ProblemStatus[]): JsonObject {
  return Object.fromEntries(
    statuses.map((status) => {
      const { name, description } = problemAnswers[status];
      const content = { "application/json": media("Problem", examplesOf(status)) };
      return [
        name,
        { description, headers: headerRefs(["X-Request-Id", ...refusalHeaders(status)]), content },
      ];
    }),
  );
}

function refusalHeaders(status: ProblemStatus): readonly DocumentHeader[] {
  const answer = problemAnswers[status];
  return "headers" in answer ? answer.headers : [];
}

function examplesOf(status: ProblemStatus): NamedExamples {
  return Object.fromEntries(problemAnswers[status].examples.map((name) => [name, problemExamples[name]]));
}

/** Every example by its name. */
function namedExamples(statuses: readonly ProblemStatus[]): NamedExamples {
  const all = documented.flatMap(({ examples: { body = {}, answers = {}, frames } }) => [
    body,
    ...Object.values(answers),
    ...(frames === undefined ? [] : [frames.client, frames.server]),
  ]);
  return Object.assign({}, ...all, ...statuses.map(examplesOf));
}
