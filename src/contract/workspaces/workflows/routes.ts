// The routes of a workspace's workflows. Pure.

import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import { pageQueryTexts } from "../record.ts";
import {
  listWorkspaceWorkflowsQuerySchema,
  putWorkspaceWorkflowRequestSchema,
  workspaceWorkflowListSchema,
  workspaceWorkflowSchema,
} from "./workspace-workflow.ts";

const MAX_BODY_BYTES = 1024 * 1024;

export const workspaceWorkflowRoutes = nounRoutes("workspaceWorkflows", "Workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/workflows", {
    callers: accounts,
    repeat: "safe",
    answer: workspaceWorkflowListSchema,
    summary: "List the workflows of a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listWorkspaceWorkflowsQuerySchema, pageQueryTexts),
    answers: { 200: "A page of workflows." },
  }),
  put: defineRoute("PUT /v1/workspaces/{workspaceID}/workflows/{workflowID}", {
    callers: accounts,
    repeat: "safe",
    answer: workspaceWorkflowSchema,
    summary: "Write a workflow of a workspace, or its next version",
    description:
      "The id is a UUID of the caller's own, in lower case. The workspace's manager runs it. A prompt that is not the newest version's makes the next version; the active version stays active. The owner activates by POST /v1/workflows/{id}/activate.",
    scopes: ["workspaces:write"],
    body: jsonBody(putWorkspaceWorkflowRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The workflow.", 201: "The workflow that was made." },
    refusals: [409],
  }),
  delete: defineRoute("DELETE /v1/workspaces/{workspaceID}/workflows/{workflowID}", {
    callers: accounts,
    repeat: "safe",
    answer: workspaceWorkflowSchema,
    summary: "Delete a workflow of a workspace, with its versions",
    description: "Its runs stay.",
    scopes: ["workspaces:write"],
    answers: { 200: "The workflow as it was." },
  }),
});
