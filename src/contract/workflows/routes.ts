// The routes of workflows. Pure.

import { submittedHeaders } from "../headers.ts";
import { defineRoute, nounRoutes, optionalJsonBody } from "../route.ts";
import { workflowEndpoints } from "./endpoints.ts";
import { activateWorkflowRequestSchema, executeWorkflowRequestSchema } from "./workflow.ts";

const MAX_BODY_BYTES = 512 * 1024;

export const workflowRoutes = nounRoutes("workflows", "Workflows", {
  /** Sent once where no version is named. */
  activate: defineRoute(workflowEndpoints.activate, {
    summary: "Make a version of a workflow the one that executions run",
    description: "Only the owner may: an AI client gets 403 with a link for the owner.",
    body: optionalJsonBody(activateWorkflowRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The workflow." },
  }),
  execute: defineRoute(workflowEndpoints.execute, {
    scopes: ["runs:write"],
    summary: "Run a workflow",
    description:
      "Runs the active version. Only the owner may run a workflow that is not active; that runs its newest version. With an idempotency key it is safe to repeat for 24 hours: the run of the first request is returned, whichever version is active by then.",
    body: optionalJsonBody(executeWorkflowRequestSchema, MAX_BODY_BYTES),
    answers: {
      202: {
        description: "Queued; or, with the key of an earlier request, the run that it made.",
        headers: submittedHeaders,
      },
    },
    refusals: [402, 409],
  }),
});
