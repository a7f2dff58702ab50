// What an AI client or a run asked for and may not do: it waits for the account's owner. A union on `kind`. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { wholeNumber } from "../fields.ts";
import { evidenceSchema } from "../workspaces/changesets/changeset.ts";

export const approvalStatuses = ["pending", "approved", "denied", "expired", "resolved_elsewhere"] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

export const approvalKinds = [
  "confirm_schedule",
  "activate_workflow",
  "run_workflow",
  "grant_writes",
  "accept_changeset",
] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

const timestamp = z.iso.datetime();

const requesterSchema = z.object({
  type: z.enum(["ai_client", "run"]),
  name: z.optional(z.string()),
  run_id: z.optional(z.string()),
});

const common = {
  id: z.uuid(),
  agent_id: z.uuid(),
  status: z.enum(approvalStatuses),
  requested_by: requesterSchema,
  created_at: timestamp,
  expires_at: timestamp,
  decided_at: z.optional(timestamp),
  decided_by: z.optional(z.enum(["owner", "ai_client", "service"])),
  approve_url: z.url(),
};
const workflow = { workflow_id: z.string(), name: z.string(), version: z.int(), prompt: z.string() };

export const approvalSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("confirm_schedule"),
    ...common,
    schedule_id: z.uuid(),
    prompt: z.string(),
    fire_at: timestamp,
  }),
  z.object({ kind: z.literal("activate_workflow"), ...common, ...workflow }),
  z.object({
    kind: z.literal("run_workflow"),
    ...common,
    ...workflow,
    input: z.optional(z.string()),
    run_id: z.optional(z.string()),
  }),
  z.object({ kind: z.literal("grant_writes"), ...common, server: z.string(), tool: z.string() }),
  z.object({
    kind: z.literal("accept_changeset"),
    ...common,
    workspace_id: z.uuid(),
    changeset_id: z.uuid(),
    revision_id: z.uuid(),
    expected_current_revision: z.uuid(),
    resolved_revision_id: z.optional(z.uuid()),
    title: z.string(),
    files: z.int(),
    additions: z.optional(z.int()),
    deletions: z.optional(z.int()),
    validation_evidence: evidenceSchema,
  }),
]);

export type Approval = z.infer<typeof approvalSchema>;

export const approvalListSchema = z.array(approvalSchema);

export const listApprovalsQuerySchema = strictObject({
  status: z.optional(z.enum(approvalStatuses)),
  agent_id: z.optional(z.uuid()),
  before: z.optional(z.uuid()),
  limit: wholeNumber({ min: 1, max: 100, fallback: 50 }),
});
