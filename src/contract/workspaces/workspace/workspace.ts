// A workspace and its routes under /v1/workspaces. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { boundedObject } from "../../bounded-object.ts";
import { text } from "../../text.ts";
import { listOf, pageQuery } from "../list.ts";

export const workspaceStates = ["ready", "adopting", "erasing"] as const;
export type WorkspaceState = (typeof workspaceStates)[number];

export const workspaceSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  manager_agent_id: z.uuid(),
  current_revision_id: z.uuid(),
  storage_state: z.enum(workspaceStates),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
});
export type WorkspaceView = z.infer<typeof workspaceSchema>;

export const workspaceListSchema = listOf(workspaceSchema);

/** The receipt of a deletion. */
export const erasureSchema = z.object({ operation_id: z.uuid(), status: z.literal("erasing") });
export type ErasureView = z.infer<typeof erasureSchema>;

export const listWorkspacesQuerySchema = strictObject(pageQuery);

export const MAX_WORKSPACE_NAME_CHARS = 255;
export const MAX_WORKSPACE_METADATA_BYTES = 16 * 1024;
const MAX_METADATA_DEPTH = 64;

const named = {
  name: z.optional(text(MAX_WORKSPACE_NAME_CHARS)),
  metadata: z.optional(
    boundedObject({ maxBytes: MAX_WORKSPACE_METADATA_BYTES, maxDepth: MAX_METADATA_DEPTH }),
  ),
};

export const createWorkspaceRequestSchema = strictObject({
  ...named,
  /** Left out: a new agent. Null is refused, with a code of its own. */
  default_manager_agent_id: z.optional(z.nullable(z.uuid())),
});
export type CreateWorkspaceRequest = z.infer<typeof createWorkspaceRequestSchema>;

export const updateWorkspaceRequestSchema = strictObject({
  ...named,
  /** Null is refused, with a code of its own. */
  manager_agent_id: z.optional(z.nullable(z.uuid())),
});
export type UpdateWorkspaceRequest = z.infer<typeof updateWorkspaceRequestSchema>;

/** The workspace of an agent: the oldest that it manages, or else that it is a member of. */
export const agentWorkspaceSchema = z.extend(workspaceSchema, { also_in: z.array(z.uuid()) });
export type AgentWorkspaceView = z.infer<typeof agentWorkspaceSchema>;
