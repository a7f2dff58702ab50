// Copies, revisions and operations as the contract shows them. Pure.

import { type CopyView, copySchema } from "../../../contract/workspaces/copies/copy.ts";
import { type OperationView, operationResultSchema } from "../../../contract/workspaces/operations.ts";
import { type RevisionView, revisionSchema } from "../../../contract/workspaces/revisions.ts";
import { isoTime } from "../../core/ports/problem.ts";
import { type Copy, holderOf } from "../../core/workspaces/copies/copy.ts";
import type { CountedCopy } from "../../core/workspaces/copies/read-copies.ts";
import type { Operation, OperationResult } from "../../core/workspaces/operations/operation.ts";
import type { SeenRevision } from "../../core/workspaces/revisions/read-revisions.ts";
import type { Revision } from "../../core/workspaces/revisions/revision.ts";
import { viewOf } from "./view-of.ts";

const shownCopy = viewOf<Copy, "baseTreeOid" | "hold">()(copySchema);

export function toCopy({ copy, changedFiles }: CountedCopy): CopyView {
  const holder = holderOf(copy);
  const state = copy.state === "ready" && holder !== null ? "held" : copy.state;
  return shownCopy(copy, {
    state,
    changed_files: changedFiles,
    held_by_run_id: state === "held" && holder !== null ? holder.runId : null,
  });
}

const shownRevision = viewOf<Revision, "commitOid" | "treeOid">()(revisionSchema);

export function toRevision({ revision, isPinned }: SeenRevision): RevisionView {
  return shownRevision(revision, {
    commit: revision.commitOid,
    tree: revision.treeOid,
    parent_ids: [...revision.parentIds],
    pinned: isPinned,
  });
}

const shownResult = viewOf<OperationResult, "isUnchanged" | "copyId">()(operationResultSchema);

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
  const { isUnchanged, copyId } = result;
  return {
    status,
    ...ended,
    result: shownResult(result, { unchanged: isUnchanged, working_copy_id: copyId }),
  };
}
