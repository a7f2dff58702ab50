// The routes of workflows. Pure.

import { submittedHeaders } from "../headers.ts";
import { accounts, defineRoute, nounRoutes, optionalJsonBody, owners } from "../route.ts";
import {
  activateWorkflowRequestSchema,
  executeWorkflowRequestSchema,
  executeWorkflowResponseSchema,
  workflowSchema,
} from "./workflow.ts";

const MAX_BODY_BYTES = 512 * 1024;

export const workflowRoutes = nounRoutes("workflows", "Workflows", {
  activate: defineRoute("POST /v1/workflows/{id}/activate", {
    callers: owners,
    // Without a version it activates the newest, which may be another one the next time.
    repeat: "once",
    answer: workflowSchema,
    summary: "Make a version of a workflow the one that executions run",
    description: "Only the owner may: an AI client gets 403 with a link for the owner.",
    body: optionalJsonBody(activateWorkflowRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The workflow." },
  }),
  execute: defineRoute("POST /v1/workflows/{id}/executions", {
    callers: accounts,
    repeat: "keyed",
    answer: executeWorkflowResponseSchema,
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
