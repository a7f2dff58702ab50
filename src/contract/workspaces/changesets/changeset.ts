// A changeset and its routes under /v1/workspaces/{workspaceID}/changesets. Pure.

import * as z from "zod/mini";
import { extend, field, object, strictObject } from "../../field.ts";
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
const filled = (maxChars: number) =>
  text(maxChars).check(z.refine((value) => value.trim() !== "", "must not be empty"));

const item = {
  kind: field(filled(100), "What was done: `tests`, `review` and the like."),
  text: field(filled(MAX_EVIDENCE_CHARS), "What came of it."),
  run_id: field(z.optional(text(200)), "The run that did it."),
};

/** As answers have it. */
export const evidenceSchema = evidenceOf(object(item));
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

function side(where: string) {
  const file = object({
    oid: field(z.string(), "Git's name of its contents."),
    mode: field(z.string(), "Its mode, as git writes it."),
  });
  return field(z.nullable(file), `What is there ${where}. Null: nothing.`);
}

export const mergeConflictSchema = object({
  path: field(z.string(), "The path."),
  kind: field(
    z.enum(conflictKinds),
    "What happened there. `file_location`: one side renamed a folder, and it is unclear where a file belongs.",
  ),
  base: side("where both sides came from"),
  ours: side("in the current revision"),
  theirs: side("in the changeset"),
  related_paths: field(z.array(z.string()), "Other paths of the same conflict."),
});

const changedFileSchema = object({
  path: field(z.string(), "The file, as it is called now."),
  status: field(z.enum(["added", "modified", "deleted", "renamed"]), "What happened to it."),
  additions: field(z.int(), "Lines added. 0 for a binary file."),
  deletions: field(z.int(), "Lines removed."),
});

export const changesetSchema = object({
  id: field(z.uuid(), "The changeset's id."),
  workspace_id: field(z.uuid(), "The workspace."),
  status: field(
    z.enum(changesetStatuses),
    "`conflicted`: it cannot be accepted as it is, since the current revision has changed the same. It is then resolved, or rejected.",
  ),
  title: field(z.string(), "What it is about, in one line."),
  summary: field(z.string(), "What it changes and why."),
  working_copy_id: field(
    z.nullable(z.uuid()),
    "The copy that it was made of. Null where it was made of a revision.",
  ),
  revision_id: field(z.uuid(), "The revision that is proposed. It stays the same."),
  base_revision_id: field(z.uuid(), "Where the revision and the accepted ones went apart."),
  compared_revision_id: field(z.uuid(), "The current revision that `mergeable` and `conflicts` are about."),
  mergeable: field(z.boolean(), "Whether it has no conflicts with that revision."),
  files: field(z.int(), "How many files it changes."),
  additions: field(
    z.nullable(z.int()),
    "Lines that it adds. Null where its files are too large to be compared.",
  ),
  deletions: field(z.nullable(z.int()), "Lines that it removes. Null as above."),
  conflicts: field(z.array(mergeConflictSchema), "What both sides changed. In the order of paths."),
  validation_evidence: field(z.nullable(evidenceSchema), "How it was validated: text, or a list of texts."),
  reject_reason: field(z.nullable(z.string()), "Why it was rejected, where that was said."),
  accepted_revision_id: field(
    z.nullable(z.uuid()),
    "The revision that it became part of. Null until it is accepted.",
  ),
  task_group_id: field(z.nullable(z.uuid()), "The task group of the worker that made it. Null: none."),
  created_by: field(actorSchema, "Who made it."),
  created_at: field(z.iso.datetime(), "When it was made."),
  decided_by: field(z.nullable(actorSchema), "Who accepted or rejected it. Null until then."),
  decided_at: field(z.nullable(z.iso.datetime()), "When it was accepted or rejected."),
});
/** A revision that is proposed to be accepted. A union on `status`. */
export type ChangesetView = z.infer<typeof changesetSchema>;

export const changesetListSchema = listOf(changesetSchema, "The changesets.");

/** With what it changes, where that was asked for. */
export const changesetDetailSchema = extend(changesetSchema, {
  changes: field(z.optional(z.array(changedFileSchema)), "The changed files."),
  patch: field(z.optional(z.string()), "A unified diff for people: binary files are named alone."),
  patch_is_whole: field(z.optional(z.boolean()), "False where the diff was cut."),
});
export type ChangesetDetailView = z.infer<typeof changesetDetailSchema>;

export const listChangesetsQuerySchema = strictObject({
  ...pageQuery,
  status: field(z.optional(z.enum(changesetStatuses)), "Only those in this state."),
});

export const getChangesetQuerySchema = strictObject({
  patch: field(z.optional(z.enum(["true", "false"])), "`true`: with its changed files and its diff."),
});

export const createChangesetRequestSchema = strictObject({
  ...bodyKey,
  working_copy_id: field(z.optional(z.uuid()), "A copy without unsaved changes."),
  revision_id: field(z.optional(z.uuid()), "A revision of the workspace."),
  title: field(filled(MAX_TITLE_CHARS), "What it is about, in one line."),
  summary: field(
    z.optional(z.string().check(z.maxLength(MAX_SUMMARY_CHARS), hasNoNul, isWellFormed)),
    "What it changes and why.",
  ),
});
export type CreateChangesetRequest = z.infer<typeof createChangesetRequestSchema>;

export const rejectChangesetRequestSchema = strictObject({
  ...bodyKey,
  reason: field(z.optional(text(MAX_SUMMARY_CHARS)), "For whoever made it."),
});
export type RejectChangesetRequest = z.infer<typeof rejectChangesetRequestSchema>;

export const acceptChangesetRequestSchema = strictObject({
  ...bodyKey,
  expected_current_revision: field(z.uuid(), "The revision that is current, as the caller has seen it."),
  validation_evidence: field(evidenceRequestSchema, "How it was validated: text, or a list of texts."),
});
export type AcceptChangesetRequest = z.infer<typeof acceptChangesetRequestSchema>;

export const resolutionSchema = z.discriminatedUnion("take", [
  strictObject({
    path: field(text(4_096), "A path of `conflicts`."),
    take: field(
      z.enum(["ours", "theirs"]),
      "`ours`: what the current revision has there, also where that is nothing. `theirs`: what the changeset has. `content`: the text that follows.",
    ),
  }),
  strictObject({
    path: field(text(4_096), "A path of `conflicts`."),
    take: field(
      z.literal("content"),
      "`ours`: what the current revision has there, also where that is nothing. `theirs`: what the changeset has. `content`: the text that follows.",
    ),
    content: field(z.string().check(z.maxLength(MAX_CONTENT_CHARS)), "The file, as text."),
  }),
]);
export type Resolution = z.infer<typeof resolutionSchema>;

export const resolveChangesetRequestSchema = strictObject({
  ...bodyKey,
  expected_current_revision: field(z.uuid(), "The revision that is current, as the caller has seen it."),
  validation_evidence: field(evidenceRequestSchema, "How it was validated: text, or a list of texts."),
  resolutions: field(
    z.optional(z.array(resolutionSchema).check(z.maxLength(MAX_RESOLUTIONS))),
    "One for every path in conflict.",
  ),
  resolved_revision_id: field(
    z.optional(z.uuid()),
    "A revision that was made from the current one, instead of `resolutions`.",
  ),
});
export type ResolveChangesetRequest = z.infer<typeof resolveChangesetRequestSchema>;
