// A workspace and its routes under /v1/workspaces, and the costs of its runs. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { boundedObject, text } from "../../fields.ts";
import { listOf, pageQuery } from "../record.ts";

const roleCostSchema = z.object({
  credits: z.number(),
  micro_usd: z.int(),
  tokens: z.int(),
  calls: z.int(),
});

const sums = {
  credits: z.int(),
  gross_micro_usd: z.int(),
  refunded_micro_usd: z.int(),
  tokens: z.int(),
  runs: z.int(),
};

export const agentCostSchema = z.object({ agent_id: z.uuid(), ...sums });

export const costsSchema = z.object({
  ...sums,
  by_role: z.object({
    executor: z.optional(roleCostSchema),
    advisor: z.optional(roleCostSchema),
    reviewer: z.optional(roleCostSchema),
  }),
  by_agent: z.array(agentCostSchema),
  since: z.nullable(z.iso.datetime()),
  until: z.nullable(z.iso.datetime()),
});
export type CostsView = z.infer<typeof costsSchema>;

const time = z.iso.datetime({ offset: true });

export const costsQuerySchema = strictObject({ since: z.optional(time), until: z.optional(time) });

export const costsQueryTexts = {
  since: "Only runs that were submitted at this time or later.",
  until: "Only runs that were submitted before this time.",
};

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
