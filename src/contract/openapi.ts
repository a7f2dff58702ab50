// The OpenAPI 3.1 document, made of the same schemas that validate. One file a resource under openapi/. Pure.

import * as z from "zod/mini";
import { agentPaths } from "./openapi/agent-paths.ts";
import { ciPaths } from "./openapi/ci-paths.ts";
import { creditPaths } from "./openapi/credit-paths.ts";
import { operationPaths } from "./openapi/operation-paths.ts";
import type { JsonObject } from "./openapi/parts.ts";
import { runPaths } from "./openapi/run-paths.ts";
import { schedulePaths } from "./openapi/schedule-paths.ts";
import { documentSchemas } from "./openapi/schemas.ts";
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
