// The OpenAPI 3.1 document, made of the same schemas that validate. One file a resource under openapi/. Pure.

import { agentPaths } from "./openapi/agent-paths.ts";
import { ciPaths } from "./openapi/ci-paths.ts";
import { creditPaths } from "./openapi/credit-paths.ts";
import { documentExamples } from "./openapi/examples.ts";
import { toJsonSchemas } from "./openapi/json-schema.ts";
import { operationPaths } from "./openapi/operation-paths.ts";
import { documentHeaders, type JsonObject } from "./openapi/parts.ts";
import { problemComponents } from "./openapi/problem-answers.ts";
import { runPaths } from "./openapi/run-paths.ts";
import { schedulePaths } from "./openapi/schedule-paths.ts";
import { documentTags } from "./openapi/tags.ts";
import { workflowPaths } from "./openapi/workflow-paths.ts";

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
    tags: documentTags,
    paths: {
      ...ciPaths,
      ...agentPaths,
      ...runPaths,
      ...schedulePaths,
      ...workflowPaths,
      ...creditPaths,
      ...operationPaths,
    },
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
      headers: documentHeaders,
      responses: problemComponents(),
      examples: Object.fromEntries(
        Object.entries(documentExamples).map(([name, { summary, value }]) => [name, { summary, value }]),
      ),
      schemas: toJsonSchemas(),
    },
  };
}
