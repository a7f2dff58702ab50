// The tools of changesets. None accepts one: its owner does, on its page.

import * as z from "zod/mini";
import { byteLength, fitText } from "../../../../base/bounded-text.ts";
import { ok } from "../../../../base/result.ts";
import { singleLine, visibleText } from "../../../../base/untrusted-text.ts";
import { field } from "../../../../contract/field.ts";
import { text } from "../../../../contract/fields.ts";
import { type ChangesetView, changesetSchema } from "../../../../contract/workspaces/changesets/changeset.ts";
import { changesetRoutes } from "../../../../contract/workspaces/changesets/routes.ts";
import { readChangeset } from "../../../core/workspaces/changesets/read-changesets.ts";
import { changesetHandlers } from "../../http/workspaces/changesets.ts";
import { toChangeset } from "../../shared/changeset-view.ts";
import { cut, part } from "../answer-part.ts";
import { answer, bodyOf, said, tool } from "../tool.ts";

const MAX_CONFLICTS = 50;
const MAX_PATH_CHARS = 300;
const MAX_TITLE_CHARS = 200;
const MAX_EVIDENCE_CHARS = 10_000;
const MAX_PATCH_BYTES = 100_000;
const DEFAULT_PATCH_BYTES = 12_000;

const shown = part(changesetSchema, [
  "id",
  "status",
  "title",
  "working_copy_id",
  "revision_id",
  "compared_revision_id",
  "mergeable",
  "files",
  "additions",
  "deletions",
  "accepted_revision_id",
  "created_at",
  "decided_at",
]);

/** Of its conflicts the paths. */
export const toolChangesetSchema = z.extend(shown.schema, {
  conflicts: z.array(z.string()),
  conflicts_omitted: z.optional(z.int()),
});
type ToolChangeset = z.infer<typeof toolChangesetSchema>;

export function toToolChangeset(changeset: ChangesetView): ToolChangeset {
  const { items, omitted } = cut(changeset.conflicts, MAX_CONFLICTS);
  return {
    ...shown.of(changeset),
    title: singleLine(changeset.title, MAX_TITLE_CHARS),
    conflicts: items.map(({ path }) => visibleText(path).slice(0, MAX_PATH_CHARS)),
    ...(omitted === undefined ? {} : { conflicts_omitted: omitted }),
  };
}

export function changesetLine(changeset: ToolChangeset): string {
  const { id, status, files, conflicts, title, compared_revision_id } = changeset;
  const where = conflicts.length === 0 ? "" : `, in conflict at ${conflicts.join(", ")}`;
  return `Changeset ${id}: ${status}, ${files} files, compared with revision ${compared_revision_id}${where}. ${title}`;
}

function changesetAnswer(view: ChangesetView) {
  const changeset = toToolChangeset(view);
  return answer(changeset, changesetLine(changeset));
}

export const changesetTools = [
  tool(changesetRoutes.create, {
    name: "create_changeset",
    title: "Propose a changeset",
    description:
      "Proposes what a copy has saved, or a revision, to become accepted, and says whether it is in conflict with what is accepted now. It accepts nothing.",
    hints: {},
    fields: {
      working_copy_id: "The copy whose last checkpoint is proposed. Exactly one of copy_id and revision_id.",
      revision_id: "The revision that is proposed.",
    },
    output: toolChangesetSchema,
    run: async (request, { core }) => said(await changesetHandlers(core).create(request), changesetAnswer),
  }),
  tool(changesetRoutes.get, {
    name: "get_changeset",
    title: "Get a changeset",
    description: "A changeset as it stands to what is accepted now, with what it changes as a git patch.",
    hints: { isReadOnly: true },
    takes: [],
    adds: {
      patch: field(z._default(z.boolean(), true), "False: without what it changes."),
      max_patch_bytes: field(
        z._default(z.int().check(z.minimum(1_000), z.maximum(MAX_PATCH_BYTES)), DEFAULT_PATCH_BYTES),
        "How much of the patch to give.",
      ),
    },
    output: z.extend(toolChangesetSchema, {
      patch: z.optional(z.string()),
      patch_omitted_bytes: z.optional(z.int()),
    }),
    run: async ({ caller, params, own, signal }, { core }) => {
      const { workspaceID: workspaceId, changesetID: changesetId } = params;
      const request = { caller, workspaceId, changesetId, withPatch: own.patch, signal };
      const read = await readChangeset(core, request);
      if (!read.ok) return read;
      const { changeset, diff } = read.value;
      const told = changesetAnswer(toChangeset(changeset));
      if (diff === null) return ok(told);
      const patch = fitText(diff.patch, own.max_patch_bytes, (head) => head) ?? "";
      const omitted = byteLength(diff.patch) - byteLength(patch);
      const structured = {
        ...told.structured,
        patch,
        ...(omitted === 0 ? {} : { patch_omitted_bytes: omitted }),
      };
      const more =
        omitted === 0 ? "" : ` ${omitted} bytes of the patch were cut: ask with a larger max_patch_bytes.`;
      const quoted = [{ label: "What it changes.", text: visibleText(patch) }];
      return ok({ ...answer(structured, told.text + more), quoted });
    },
  }),
  tool(changesetRoutes.accept, {
    name: "accept_changeset",
    title: "Ask to accept a changeset",
    description:
      "Asks the account's owner to accept a changeset: only they can, at approve_url. Give it to the user. What is approved is this changeset on top of expected_current_revision, and nothing else.",
    hints: { isIdempotent: true, isDestructive: true },
    takes: ["expected_current_revision", "validation_evidence", "resolved_revision_id", "idempotency_key"],
    fields: {
      expected_current_revision: "The accepted revision that it was validated with: compared_revision_id.",
      validation_evidence: field(
        text(MAX_EVIDENCE_CHARS),
        "How it was validated: what was run, and what came of it.",
      ),
    },
    adds: {
      resolved_revision_id: field(
        z.optional(z.uuid()),
        "For one in conflict: a revision with everything settled, saved in a copy of the accepted revision.",
      ),
    },
    output: toolChangesetSchema,
    run: async ({ own, ...request }, { core, opensPages, broughtBack }) => {
      const { get, accept, resolve } = changesetHandlers(core);
      const { changesetID: changesetId } = request.params;
      // The client calls again after it has opened the page: what the owner decided there is read.
      if (broughtBack === changesetId) {
        const read = await get({ ...request, query: {}, body: null });
        if (!read.ok) return read;
        const changeset = bodyOf(read.value);
        if (changeset.decided_at !== null) return ok(changesetAnswer(changeset));
      }
      const { resolved_revision_id } = own;
      const accepted =
        resolved_revision_id === undefined
          ? await accept(request)
          : await resolve({ ...request, body: { ...request.body, resolved_revision_id } });
      if (accepted.ok) return said(accepted, changesetAnswer);
      const { refusal } = accepted;
      const isOwners = "reason" in refusal && refusal.reason === "owner_needed";
      const url = isOwners ? refusal.approveUrl : undefined;
      if (url === undefined || !opensPages || broughtBack !== null) return accepted;
      const message = "Accept the changeset, or deny it.";
      return ok({ type: "open_page", url, message, bringBack: changesetId });
    },
  }),
  tool(changesetRoutes.reject, {
    name: "reject_changeset",
    title: "Reject a changeset",
    description: "Rejects a changeset. Its revision stays, and can be proposed again.",
    hints: { isDestructive: true },
    output: toolChangesetSchema,
    run: async (request, { core }) => said(await changesetHandlers(core).reject(request), changesetAnswer),
  }),
];
