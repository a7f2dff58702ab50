// Copies, revisions and operations as the contract shows them. Pure.

import type { CopyView } from "../../../contract/workspaces/copies/copy.ts";
import type { OperationView } from "../../../contract/workspaces/operations.ts";
import type { RevisionView } from "../../../contract/workspaces/revisions.ts";
import { isoTime } from "../../core/ports/problem.ts";
import { holderOf } from "../../core/workspaces/copies/copy.ts";
import type { CountedCopy } from "../../core/workspaces/copies/read-copies.ts";
import type { Operation } from "../../core/workspaces/operations/operation.ts";
import type { SeenRevision } from "../../core/workspaces/revisions/read-revisions.ts";

export function toCopy({ copy, changedFiles }: CountedCopy): CopyView {
  const holder = holderOf(copy);
  const state = copy.state === "ready" && holder !== null ? "held" : copy.state;
  return {
    id: copy.id,
    workspace_id: copy.workspaceId,
    is_canonical: copy.isCanonical,
    state,
    base_revision_id: copy.baseRevisionId,
    saved_revision_id: copy.savedRevisionId,
    changed_files: changedFiles,
    held_by_run_id: state === "held" && holder !== null ? holder.runId : null,
    created_by: copy.createdBy,
    created_at: isoTime(copy.createdAt),
  };
}

export function toRevision({ revision, isPinned }: SeenRevision): RevisionView {
  return {
    id: revision.id,
    workspace_id: revision.workspaceId,
    commit: revision.commitOid,
    tree: revision.treeOid,
    parent_ids: [...revision.parentIds],
    message: revision.message,
    author: revision.author,
    files: revision.files,
    bytes: revision.bytes,
    pinned: isPinned,
    created_at: isoTime(revision.createdAt),
    accepted_at: revision.acceptedAt === null ? null : isoTime(revision.acceptedAt),
  };
}

/** Throws on a row that its status forbids. */
export function toOperation(operation: Operation): OperationView {
  const { status, result, error, endedAt } = operation;
  const common = {
    id: operation.id,
    workspace_id: operation.workspaceId,
    kind: operation.kind,
    progress: { ...operation.progress },
    created_at: isoTime(operation.createdAt),
  };
  if (status === "queued" || status === "running") return { status, ...common };
  if (endedAt === null) throw new TypeError(`Operation ${operation.id} has ended at no time.`);
  const ended = { ...common, ended_at: isoTime(endedAt) };
  if (status === "failed") {
    if (error === null) throw new TypeError(`Operation ${operation.id} has failed without an error.`);
    return { status, ...ended, error };
  }
  const { revisionId, isUnchanged, copyId } = result;
  return {
    status,
    ...ended,
    result: {
      ...(revisionId === undefined ? {} : { revision_id: revisionId }),
      ...(isUnchanged === undefined ? {} : { unchanged: isUnchanged }),
      ...(copyId === undefined ? {} : { working_copy_id: copyId }),
    },
  };
}
