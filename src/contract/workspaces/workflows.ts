// The workflows of a workspace, under /v1/workspaces/{workspaceID}/workflows. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { extend, field, strictObject } from "../field.ts";
import { hasNoNul, isWellFormed, text } from "../fields.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../route.ts";
import { AGENT_ID, WORKFLOW_ID, WORKSPACE_ID } from "../story.ts";
import { workflowSchema } from "../workflows.ts";
import { listOf, pageQuery } from "./record.ts";

const MAX_WORKFLOW_PROMPT_CHARS = 100_000;

export const workspaceWorkflowSchema = extend(workflowSchema, {
  agent_id: field(z.uuid(), "The agent that runs it: who managed the workspace when it was last written."),
  workspace_id: field(z.uuid(), "The workspace."),
});

export const workspaceWorkflowListSchema = listOf(workspaceWorkflowSchema, "The workflows.");

export const listWorkspaceWorkflowsQuerySchema = strictObject(pageQuery);

export const putWorkspaceWorkflowRequestSchema = strictObject({
  name: field(text(255), "Its name."),
  prompt: field(
    z.string().check(z.minLength(1), z.maxLength(MAX_WORKFLOW_PROMPT_CHARS), hasNoNul, isWellFormed),
    "What its run's message begins with.",
  ),
});
export type PutWorkspaceWorkflowRequest = z.infer<typeof putWorkspaceWorkflowRequestSchema>;

export const workspaceWorkflowComponents: Components = {
  WorkspaceWorkflow: component(workspaceWorkflowSchema, "A prompt with versions, in a workspace."),
  WorkspaceWorkflowList: component(workspaceWorkflowListSchema, "A page of workflows, newest first."),
  PutWorkspaceWorkflowRequest: component(putWorkspaceWorkflowRequestSchema, "The workflow to write."),
};

const MAX_BODY_BYTES = 1024 * 1024;

export const workspaceWorkflowRoutes = nounRoutes("workspaceWorkflows", "Work in workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/workflows", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: workspaceWorkflowListSchema,
    summary: "List the workflows of a workspace, newest first",
    scopes: ["workspaces:read"],
    query: query(listWorkspaceWorkflowsQuerySchema),
    answers: { 200: "A page of workflows." },
  }),
  put: defineRoute("PUT /v1/workspaces/{workspaceID}/workflows/{workflowID}", {
    callers: accounts,
    role: "member",
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
    role: "member",
    repeat: "safe",
    answer: workspaceWorkflowSchema,
    summary: "Delete a workflow of a workspace, with its versions",
    description: "Its runs stay.",
    scopes: ["workspaces:write"],
    answers: { 200: "The workflow as it was." },
  }),
});

const workflow = {
  id: WORKFLOW_ID,
  workspace_id: WORKSPACE_ID,
  agent_id: AGENT_ID,
  name: "weekly-report",
  version: 1,
  active_version: null,
  created_at: "2026-03-09T11:10:00.000Z",
  updated_at: "2026-03-09T11:10:00.000Z",
};

export const workspaceWorkflowExamples: ExamplesOf<typeof workspaceWorkflowRoutes> = {
  list: {
    answers: {
      200: {
        workspaceWorkflowList: { summary: "One workflow", value: { items: [workflow], next_cursor: "" } },
      },
    },
  },
  put: {
    body: {
      workflowToPut: {
        summary: "A prompt",
        value: { name: "weekly-report", prompt: "Write the report of this week." },
      },
    },
    answers: {
      200: { workspaceWorkflowVersion: { summary: "The next version", value: { ...workflow, version: 2 } } },
      201: { workspaceWorkflowMade: { summary: "A new workflow", value: workflow } },
    },
  },
  delete: { answers: { 200: { workspaceWorkflowDeleted: { summary: "It was there", value: workflow } } } },
};
