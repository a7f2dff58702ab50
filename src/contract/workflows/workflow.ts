// Workflows: a prompt with versions, one of which its owner has activated. POST /v1/workflows/{id}/activate and
// /v1/workflows/{id}/executions. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { bodyKey } from "../fields.ts";

export const MAX_WORKFLOW_INPUT_CHARS = 100_000;

export const workflowSchema = z.object({
  id: z.uuid(),
  agent_id: z.uuid(),
  name: z.string(),
  /** The newest version. */
  version: z.int(),
  /** The version that an execution runs; null until the owner activates one. */
  active_version: z.nullable(z.int()),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export type Workflow = z.infer<typeof workflowSchema>;

/** Without `version` the newest is activated. */
export const activateWorkflowRequestSchema = strictObject({
  version: z.optional(z.int().check(z.minimum(1))),
});

export type ActivateWorkflowRequest = z.infer<typeof activateWorkflowRequestSchema>;

/** `input` follows the workflow's prompt in the run's message. */
export const executeWorkflowRequestSchema = strictObject({
  input: z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_WORKFLOW_INPUT_CHARS))),
  ...bodyKey,
});

export type ExecuteWorkflowRequest = z.infer<typeof executeWorkflowRequestSchema>;

export const executeWorkflowResponseSchema = z.object({
  run_id: z.string(),
  session_id: z.string(),
  /** The version that runs. */
  version: z.int(),
});

export type ExecuteWorkflowResponse = z.infer<typeof executeWorkflowResponseSchema>;
