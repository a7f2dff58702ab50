// The workflows of a workspace, under /v1/workspaces/{workspaceID}/workflows. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { hasNoNul, isWellFormed, text } from "../../fields.ts";
import { workflowSchema } from "../../workflows/workflow.ts";
import { listOf, pageQuery } from "../record.ts";

export const MAX_WORKFLOW_PROMPT_CHARS = 100_000;

export const workspaceWorkflowSchema = z.extend(workflowSchema, { workspace_id: z.uuid() });
export type WorkspaceWorkflowView = z.infer<typeof workspaceWorkflowSchema>;

export const workspaceWorkflowListSchema = listOf(workspaceWorkflowSchema);

export const listWorkspaceWorkflowsQuerySchema = strictObject(pageQuery);

export const putWorkspaceWorkflowRequestSchema = strictObject({
  name: text(255),
  prompt: z.string().check(z.minLength(1), z.maxLength(MAX_WORKFLOW_PROMPT_CHARS), hasNoNul, isWellFormed),
});
export type PutWorkspaceWorkflowRequest = z.infer<typeof putWorkspaceWorkflowRequestSchema>;
