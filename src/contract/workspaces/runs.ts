// The runs of a workspace, and their routes under /v1/workspaces/{workspaceID}/runs. Pure.

import * as z from "zod/mini";
import { type Components, component, oneOf } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { extend, field, strictObject } from "../field.ts";
import { submittedHeaders } from "../headers.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../route.ts";
import { completedRun } from "../runs/examples.ts";
import { runSchema, submitRunResponseSchema } from "../runs/run.ts";
import { submitRunRequestSchema } from "../runs/run-requests.ts";
import { AGENT_ID, COPY_ID, RUN_ID, THREAD_ID, WORKSPACE_ID } from "../story.ts";
import { listOf, pageQuery } from "./record.ts";

export const workspaceRunListSchema = listOf(runSchema, "The runs.");

export const listWorkspaceRunsQuerySchema = strictObject({
  ...pageQuery,
  working_copy_id: field(z.optional(z.uuid()), "Only the runs in this copy."),
});

/** A task group makes the run a worker: it needs a copy, too. */
export const submitWorkspaceRunRequestSchema = extend(submitRunRequestSchema, {
  executor_agent_id: field(z.optional(z.uuid()), "The member that runs. Left out: the manager."),
  working_copy_id: field(z.optional(z.uuid()), "The copy that the run works in, and nobody else meanwhile."),
  task_group_id: field(z.optional(z.uuid()), "The task group that the run works for, as a worker."),
});
export type SubmitWorkspaceRunRequest = z.infer<typeof submitWorkspaceRunRequestSchema>;

export const workspaceRunComponents: Components = {
  WorkspaceRunList: component(workspaceRunListSchema, "A page of runs, newest first."),
  SubmitWorkspaceRunRequest: component(
    submitWorkspaceRunRequestSchema,
    "A run of a workspace. Exactly one of `message` and `messages` is needed.",
    oneOf("message", "messages"),
  ),
};

/** As of an agent's runs. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

export const workspaceRunRoutes = nounRoutes("workspaceRuns", "Work in workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/runs", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: workspaceRunListSchema,
    summary: "List the runs of a workspace, newest first",
    scopes: ["workspaces:read", "runs:read"],
    query: query(listWorkspaceRunsQuerySchema),
    answers: { 200: "A page of runs." },
  }),
  submit: defineRoute("POST /v1/workspaces/{workspaceID}/runs", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: submitRunResponseSchema,
    summary: "Queue a run in a workspace",
    description:
      "The manager runs, unless `executor_agent_id` names another member. The run has the accepted files; with `working_copy_id` it works in that copy, and alone. With `task_group_id` it is a worker, which needs a copy. With an idempotency key it is safe to repeat for 24 hours.",
    scopes: ["workspaces:write", "runs:write"],
    body: jsonBody(submitWorkspaceRunRequestSchema, MAX_BODY_BYTES),
    answers: {
      202: {
        description: "Queued; or, with the key of an earlier request, the run that it made.",
        headers: submittedHeaders,
      },
    },
    refusals: [402, 409],
  }),
});

const run = { ...completedRun, workspace_id: WORKSPACE_ID, copy_id: COPY_ID };

export const workspaceRunExamples: ExamplesOf<typeof workspaceRunRoutes> = {
  list: {
    answers: { 200: { workspaceRunList: { summary: "One run", value: { items: [run], next_cursor: "" } } } },
  },
  submit: {
    body: {
      workspaceRunOfManager: { summary: "Of the manager", value: { message: "Plan the release." } },
      workspaceRunInCopy: {
        summary: "Of a member, in a copy",
        value: { message: "Fix the parser.", executor_agent_id: AGENT_ID, working_copy_id: COPY_ID },
      },
    },
    answers: {
      202: { workspaceRunQueued: { summary: "Queued", value: { run_id: RUN_ID, session_id: THREAD_ID } } },
    },
  },
};
