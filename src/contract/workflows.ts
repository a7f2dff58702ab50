// Workflows: a prompt with versions, one of which its owner has activated. POST /v1/workflows/{id}/activate and
// /v1/workflows/{id}/executions. Pure.

import * as z from "zod/mini";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object, strictObject } from "./field.ts";
import { bodyKey } from "./fields.ts";
import { submittedHeaders } from "./headers.ts";
import { accounts, defineRoute, nounRoutes, optionalJsonBody, owners } from "./route.ts";
import { AGENT_ID, RUN_ID, THREAD_ID, WORKFLOW_ID } from "./story.ts";

export const MAX_WORKFLOW_INPUT_CHARS = 100_000;

export const workflowSchema = object({
  id: field(z.uuid(), "The workflow's id."),
  agent_id: field(z.uuid(), "The agent that runs it."),
  name: field(z.string(), "Its name."),
  version: field(z.int(), "The newest version."),
  active_version: field(
    z.nullable(z.int()),
    "The version that an execution runs; null until the owner activates one.",
  ),
  created_at: field(z.iso.datetime(), "When it was made."),
  updated_at: field(z.iso.datetime(), "When it was last changed."),
});

/** A workflow of an account, and the version of it that runs. */
export type Workflow = z.infer<typeof workflowSchema>;

/** Without `version` the newest is activated. */
export const activateWorkflowRequestSchema = strictObject({
  version: field(z.optional(z.int().check(z.minimum(1))), "Left out: the newest."),
});

/** The body of `workflows.activate`. Without a version: the newest. */
export type ActivateWorkflowRequest = z.infer<typeof activateWorkflowRequestSchema>;

/** `input` follows the workflow's prompt in the run's message. */
export const executeWorkflowRequestSchema = strictObject({
  input: field(
    z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_WORKFLOW_INPUT_CHARS))),
    "Follows the workflow's prompt in the run's message.",
  ),
  ...bodyKey,
});

/** The body of `workflows.execute`: the input of the execution. */
export type ExecuteWorkflowRequest = z.infer<typeof executeWorkflowRequestSchema>;

export const executeWorkflowResponseSchema = object({
  run_id: field(z.string(), "The run's id."),
  session_id: field(z.string(), "The session's id."),
  version: field(z.int(), "The version that runs."),
});

/** The run that an execution began. */
export type ExecuteWorkflowResponse = z.infer<typeof executeWorkflowResponseSchema>;

export const workflowComponents: Components = {
  Workflow: component(workflowSchema, "A prompt with versions."),
  ActivateWorkflowRequest: component(activateWorkflowRequestSchema, "The version to activate."),
  ExecuteWorkflowRequest: component(executeWorkflowRequestSchema, "What the execution is about."),
  ExecuteWorkflowResponse: component(executeWorkflowResponseSchema, "The run that was queued."),
};

const MAX_BODY_BYTES = 512 * 1024;

export const workflowRoutes = nounRoutes("workflows", "Workflows", {
  activate: defineRoute("POST /v1/workflows/{id}/activate", {
    callers: owners,
    role: "admin",
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
    role: "member",
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

export const workflowExamples: ExamplesOf<typeof workflowRoutes> = {
  activate: {
    body: { activateWorkflow: { summary: "A version", value: { version: 2 } } },
    answers: {
      200: {
        workflow: {
          summary: "Version 2 is active",
          value: {
            id: WORKFLOW_ID,
            agent_id: AGENT_ID,
            name: "weekly-report",
            version: 2,
            active_version: 2,
            created_at: "2026-03-02T09:20:00.000Z",
            updated_at: "2026-03-09T08:00:00.000Z",
          },
        },
      },
    },
  },
  execute: {
    body: {
      executeWorkflow: {
        summary: "With an input",
        value: { input: "Week 11, only the pull requests that are open." },
      },
    },
    answers: {
      202: {
        workflowExecuted: {
          summary: "Its run is queued",
          value: { run_id: RUN_ID, session_id: THREAD_ID, version: 2 },
        },
      },
    },
  },
};
