// A workspace and its routes under /v1/workspaces, and the costs of its runs. Pure.

import * as z from "zod/mini";
import { extend, field, object, strictObject } from "../../field.ts";
import { boundedObject, text } from "../../fields.ts";
import { listOf, pageQuery } from "../record.ts";

const roleCostSchema = object({
  credits: field(z.number(), "Credits before refunds, not rounded."),
  micro_usd: field(z.int(), "The same in micro-USD."),
  tokens: field(z.int(), "Tokens."),
  calls: field(z.int(), "Calls of the model."),
});

const sums = {
  credits: field(z.int(), "Credits charged, after refunds."),
  gross_micro_usd: field(z.int(), "What was used before refunds, in micro-USD (1,000,000 = 1 USD)."),
  refunded_micro_usd: field(z.int(), "What was refunded, in micro-USD."),
  tokens: field(z.int(), "Tokens used."),
  runs: field(z.int(), "Runs, with those that they delegated."),
};

export const agentCostSchema = object({ agent_id: field(z.uuid(), "The agent."), ...sums });

export const costsSchema = object({
  ...sums,
  by_role: field(
    object({
      executor: field(z.optional(roleCostSchema), "The model that does the work."),
      advisor: field(z.optional(roleCostSchema), "The stronger model that it may consult."),
      reviewer: field(z.optional(roleCostSchema), "The model that reviews the work."),
    }),
    "What each role of the models used.",
  ),
  by_agent: field(z.array(agentCostSchema), "The same by agent, the most expensive first."),
  since: field(z.nullable(z.iso.datetime()), "From when on the runs were submitted; null: from the first."),
  until: field(z.nullable(z.iso.datetime()), "Before when they were submitted; null: until now."),
});
export type CostsView = z.infer<typeof costsSchema>;

const time = z.iso.datetime({ offset: true });

export const costsQuerySchema = strictObject({
  since: field(z.optional(time), "Only runs that were submitted at this time or later."),
  until: field(z.optional(time), "Only runs that were submitted before this time."),
});

export const workspaceStates = ["ready", "adopting", "erasing"] as const;
export type WorkspaceState = (typeof workspaceStates)[number];

export const workspaceSchema = object({
  id: field(z.uuid(), "The workspace's id."),
  name: field(z.string(), "What its owner calls it."),
  manager_agent_id: field(z.uuid(), "The agent that coordinates the work in it."),
  current_revision_id: field(z.uuid(), "The accepted revision: the base of the canonical copy."),
  storage_state: field(
    z.enum(workspaceStates),
    "`adopting` while it is filled with the files of an agent's repository, `erasing` while it is deleted.",
  ),
  metadata: field(z.record(z.string(), z.unknown()), "Set by the owner. The service does not read it."),
  created_at: field(z.iso.datetime(), "When it was made."),
});
/** A workspace: files, agents and people, with a canonical copy. */
export type WorkspaceView = z.infer<typeof workspaceSchema>;

export const workspaceListSchema = listOf(workspaceSchema, "The workspaces.");

/** The receipt of a deletion. */
export const erasureSchema = object({
  operation_id: field(z.uuid(), "The operation that deletes it."),
  status: field(z.literal("erasing"), "Always `erasing`."),
});

export const listWorkspacesQuerySchema = strictObject(pageQuery);

export const MAX_WORKSPACE_NAME_CHARS = 255;
const MAX_WORKSPACE_METADATA_BYTES = 16 * 1024;
const MAX_METADATA_DEPTH = 64;

const nameSchema = z.optional(text(MAX_WORKSPACE_NAME_CHARS));
const metadataSchema = z.optional(
  boundedObject({ maxBytes: MAX_WORKSPACE_METADATA_BYTES, maxDepth: MAX_METADATA_DEPTH }),
);

export const createWorkspaceRequestSchema = strictObject({
  name: field(nameSchema, "What it is called. Left out: `workspace`."),
  metadata: field(metadataSchema, "Any JSON object. The service stores it and does not read it."),
  // Null is refused with a code of its own.
  default_manager_agent_id: field(
    z.optional(z.nullable(z.uuid())),
    "One of the account's agents. Left out: an independent agent is made. Null is refused: every workspace has a manager.",
  ),
});
export type CreateWorkspaceRequest = z.infer<typeof createWorkspaceRequestSchema>;

export const updateWorkspaceRequestSchema = strictObject({
  name: field(nameSchema, "What it is called."),
  metadata: field(metadataSchema, "Any JSON object, in the place of the one before."),
  manager_agent_id: field(
    z.optional(z.nullable(z.uuid())),
    "One of the account's agents. It becomes a member where it is none. Null is refused.",
  ),
});
export type UpdateWorkspaceRequest = z.infer<typeof updateWorkspaceRequestSchema>;

/** The workspace of an agent: the oldest that it manages, or else that it is a member of. */
export const agentWorkspaceSchema = extend(workspaceSchema, {
  also_in: field(z.array(z.uuid()), "The other workspaces that the agent is a member of."),
});
export type AgentWorkspaceView = z.infer<typeof agentWorkspaceSchema>;
