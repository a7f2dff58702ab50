// Changesets and review actions as the contract shows them. Pure.

import {
  type ChangesetDetailView,
  type ChangesetView,
  changesetSchema,
} from "../../../contract/workspaces/changesets/changeset.ts";
import type { ReviewActionView } from "../../../contract/workspaces/review-actions.ts";
import { statusAt } from "../../core/approvals/approval.ts";
import { approveUrl } from "../../core/approvals/approve-url.ts";
import type { MergeConflict } from "../../core/checkouts/git-scratch.ts";
import type { Policy } from "../../core/core.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { Changeset } from "../../core/workspaces/changesets/changeset.ts";
import type { SeenChangeset } from "../../core/workspaces/changesets/read-changesets.ts";
import type { ReviewApproval } from "../../core/workspaces/changesets/read-review-action.ts";
import { viewOf } from "./view-of.ts";

const shownChangeset = viewOf<Changeset, "copyId" | "targetRevisionId" | "evidence">()(changesetSchema);

export function toChangeset(changeset: Changeset): ChangesetView {
  return shownChangeset(changeset, {
    working_copy_id: changeset.copyId,
    compared_revision_id: changeset.targetRevisionId,
    mergeable: changeset.conflicts.length === 0,
    conflicts: changeset.conflicts.map(toConflict),
    validation_evidence: changeset.evidence,
  });
}

export function toChangesetDetail({ changeset, diff }: SeenChangeset): ChangesetDetailView {
  if (diff === null) return toChangeset(changeset);
  const { files, patch, isWhole } = diff;
  return {
    ...toChangeset(changeset),
    changes: files.map((file) => ({ ...file })),
    patch,
    patch_is_whole: isWhole,
  };
}

function toConflict({ relatedPaths, ...conflict }: MergeConflict): ChangesetView["conflicts"][number] {
  return { ...conflict, related_paths: [...relatedPaths] };
}

const states = { pending: "waiting" } as const;

export function toReviewAction(
  { approval, action }: ReviewApproval,
  { policy, now }: { policy: Pick<Policy, "webUrl">; now: number },
): ReviewActionView {
  const status = statusAt(approval, now);
  return {
    id: approval.id,
    workspace_id: action.workspaceId,
    kind: action.kind,
    state: status === "pending" ? states[status] : status,
    approve_url: approveUrl(policy, approval.id),
    changeset_id: action.changesetId,
    revision_id: action.revisionId,
    expected_current_revision: action.expectedRevisionId,
    resolved_revision_id: action.resolvedRevisionId,
    title: action.title,
    validation_evidence: action.evidence,
    created_at: isoTime(approval.createdAt),
    expires_at: isoTime(approval.expiresAt),
    decided_at: approval.decidedAt === null ? null : isoTime(approval.decidedAt),
  };
}
