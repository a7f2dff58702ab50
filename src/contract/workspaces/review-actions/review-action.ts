// What waits for the owner about a workspace, under /v1/workspaces/{workspaceID}/review-actions. Pure.

import * as z from "zod/mini";
import { evidenceSchema } from "../changesets/changeset.ts";

export const reviewActionStates = ["waiting", "approved", "denied", "expired", "resolved_elsewhere"] as const;

export const reviewActionSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  kind: z.literal("accept_changeset"),
  state: z.enum(reviewActionStates),
  approve_url: z.url(),
  changeset_id: z.uuid(),
  revision_id: z.uuid(),
  expected_current_revision: z.uuid(),
  resolved_revision_id: z.nullable(z.uuid()),
  title: z.string(),
  validation_evidence: evidenceSchema,
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  decided_at: z.nullable(z.iso.datetime()),
});
export type ReviewActionView = z.infer<typeof reviewActionSchema>;
