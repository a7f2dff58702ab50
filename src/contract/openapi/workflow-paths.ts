// Workflows, in the OpenAPI document. Pure.

import { answer, apiKey, idempotencyKey, problems, ref, workflowId } from "./parts.ts";

export const workflowPaths = {
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
} as const;
