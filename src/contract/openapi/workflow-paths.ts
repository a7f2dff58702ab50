// Workflows, in the OpenAPI document. Pure.

import { answer, apiKey, idempotencyKey, json, workflowId } from "./parts.ts";
import { problems } from "./problem-answers.ts";

export const workflowPaths = {
  "/v1/workflows/{workflowId}/activate": {
    post: {
      operationId: "activateWorkflow",
      tags: ["Workflows"],
      summary: "Make a version of a workflow the one that executions run",
      description: "The owner's alone: an AI client gets 403 with a link for the owner.",
      security: apiKey,
      parameters: [workflowId],
      requestBody: json("ActivateWorkflowRequest", "activateWorkflow"),
      responses: {
        200: answer("The workflow.", "Workflow", "workflow"),
        ...problems(400, 401, 403, 404, 413, 415, 429),
      },
    },
  },
  "/v1/workflows/{workflowId}/executions": {
    post: {
      operationId: "executeWorkflow",
      tags: ["Workflows"],
      summary: "Run a workflow",
      description:
        "Runs the active version. One that is not active is the owner's alone, and runs its newest version.",
      security: apiKey,
      parameters: [workflowId, idempotencyKey],
      requestBody: json("ExecuteWorkflowRequest", "executeWorkflow"),
      responses: {
        202: answer("Queued.", "ExecuteWorkflowResponse", "workflowExecuted"),
        ...problems(400, 401, 402, 403, 404, 409, 413, 415, 422, 429),
      },
    },
  },
} as const;
