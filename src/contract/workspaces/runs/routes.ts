// The routes of a workspace's runs. Pure.

import { submittedHeaders } from "../../headers.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import { submitRunResponseSchema } from "../../runs/run.ts";
import { pageQueryTexts } from "../record.ts";
import {
  listWorkspaceRunsQuerySchema,
  submitWorkspaceRunRequestSchema,
  workspaceRunListSchema,
} from "./workspace-run.ts";

/** As of an agent's runs. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

export const workspaceRunRoutes = nounRoutes("workspaceRuns", "Workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/runs", {
    callers: accounts,
    repeat: "safe",
    answer: workspaceRunListSchema,
    summary: "List the runs of a workspace, newest first",
    scopes: ["workspaces:read", "runs:read"],
    query: query(listWorkspaceRunsQuerySchema, {
      ...pageQueryTexts,
      working_copy_id: "Only the runs in this copy.",
    }),
    answers: { 200: "A page of runs." },
  }),
  submit: defineRoute("POST /v1/workspaces/{workspaceID}/runs", {
    callers: accounts,
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
