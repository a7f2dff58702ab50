// A changeset and its routes under /v1/workspaces/{workspaceID}/changesets. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { bodyKey, hasNoNul, isWellFormed, text } from "../../fields.ts";
import { actorSchema, listOf, pageQuery } from "../record.ts";

export const changesetStatuses = ["open", "conflicted", "accepted", "rejected"] as const;
export type ChangesetStatus = (typeof changesetStatuses)[number];

/** As `core/checkouts/git-scratch.ts` names them. */
export const conflictKinds = [
  "content",
  "binary",
  "add_add",
  "modify_delete",
  "rename_rename",
  "rename_delete",
  "rename_collision",
  "file_location",
  "file_directory",
  "mode",
  "submodule",
  "other",
] as const;

const MAX_EVIDENCE_CHARS = 10_000;
const MAX_EVIDENCE_ITEMS = 20;

/** Text that says something. */
export const filled = (maxChars: number) =>
  text(maxChars).check(z.refine((value) => value.trim() !== "", "must not be empty"));

const item = {
  kind: filled(100),
  text: filled(MAX_EVIDENCE_CHARS),
  run_id: z.optional(text(200)),
};

/** As answers have it. */
export const evidenceSchema = evidenceOf(z.object(item));
export type Evidence = z.infer<typeof evidenceSchema>;

export const evidenceRequestSchema = evidenceOf(strictObject(item));

function evidenceOf<Item extends z.ZodMiniType>(one: Item) {
  return z.union([
    filled(MAX_EVIDENCE_CHARS),
    z.array(one).check(z.minLength(1), z.maxLength(MAX_EVIDENCE_ITEMS)),
  ]);
}

const MAX_TITLE_CHARS = 200;
const MAX_SUMMARY_CHARS = 20_000;
const MAX_CONTENT_CHARS = 1_000_000;
const MAX_RESOLUTIONS = 1_000;

const side = z.nullable(z.object({ oid: z.string(), mode: z.string() }));

export const mergeConflictSchema = z.object({
  path: z.string(),
  kind: z.enum(conflictKinds),
  base: side,
  ours: side,
  theirs: side,
  related_paths: z.array(z.string()),
});

const changedFileSchema = z.object({
  path: z.string(),
  status: z.enum(["added", "modified", "deleted", "renamed"]),
  additions: z.int(),
  deletions: z.int(),
});

export const changesetSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  status: z.enum(changesetStatuses),
  title: z.string(),
  summary: z.string(),
  working_copy_id: z.nullable(z.uuid()),
  revision_id: z.uuid(),
  base_revision_id: z.uuid(),
  compared_revision_id: z.uuid(),
  mergeable: z.boolean(),
  files: z.int(),
  additions: z.nullable(z.int()),
  deletions: z.nullable(z.int()),
  conflicts: z.array(mergeConflictSchema),
  validation_evidence: z.nullable(evidenceSchema),
  reject_reason: z.nullable(z.string()),
  accepted_revision_id: z.nullable(z.uuid()),
  task_group_id: z.nullable(z.uuid()),
  created_by: actorSchema,
  created_at: z.iso.datetime(),
  decided_by: z.nullable(actorSchema),
  decided_at: z.nullable(z.iso.datetime()),
});
export type ChangesetView = z.infer<typeof changesetSchema>;

export const changesetListSchema = listOf(changesetSchema);

/** With what it changes, where that was asked for. */
export const changesetDetailSchema = z.extend(changesetSchema, {
  changes: z.optional(z.array(changedFileSchema)),
  patch: z.optional(z.string()),
  patch_is_whole: z.optional(z.boolean()),
});
export type ChangesetDetailView = z.infer<typeof changesetDetailSchema>;

export const listChangesetsQuerySchema = strictObject({
  ...pageQuery,
  status: z.optional(z.enum(changesetStatuses)),
});

export const getChangesetQuerySchema = strictObject({ patch: z.optional(z.enum(["true", "false"])) });

export const createChangesetRequestSchema = strictObject({
  ...bodyKey,
  working_copy_id: z.optional(z.uuid()),
  revision_id: z.optional(z.uuid()),
  title: filled(MAX_TITLE_CHARS),
  summary: z.optional(z.string().check(z.maxLength(MAX_SUMMARY_CHARS), hasNoNul, isWellFormed)),
});
export type CreateChangesetRequest = z.infer<typeof createChangesetRequestSchema>;

export const rejectChangesetRequestSchema = strictObject({
  ...bodyKey,
  reason: z.optional(text(MAX_SUMMARY_CHARS)),
});
export type RejectChangesetRequest = z.infer<typeof rejectChangesetRequestSchema>;

export const acceptChangesetRequestSchema = strictObject({
  ...bodyKey,
  expected_current_revision: z.uuid(),
  validation_evidence: evidenceRequestSchema,
});
export type AcceptChangesetRequest = z.infer<typeof acceptChangesetRequestSchema>;

export const resolutionSchema = z.discriminatedUnion("take", [
  strictObject({ path: text(4_096), take: z.enum(["ours", "theirs"]) }),
  strictObject({
    path: text(4_096),
    take: z.literal("content"),
    content: z.string().check(z.maxLength(MAX_CONTENT_CHARS)),
  }),
]);
export type Resolution = z.infer<typeof resolutionSchema>;

export const resolveChangesetRequestSchema = strictObject({
  ...bodyKey,
  expected_current_revision: z.uuid(),
  validation_evidence: evidenceRequestSchema,
  resolutions: z.optional(z.array(resolutionSchema).check(z.maxLength(MAX_RESOLUTIONS))),
  resolved_revision_id: z.optional(z.uuid()),
});
export type ResolveChangesetRequest = z.infer<typeof resolveChangesetRequestSchema>;
