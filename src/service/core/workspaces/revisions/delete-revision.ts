// DELETE …/revisions/{revisionID}: the revision is no more; its objects stay as long as another one's history reaches them.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkspaceRefusal } from "../refusals.ts";
import type { SeenRevision } from "./read-revisions.ts";
import type { RevisionInUseRefusal, RevisionRefusal } from "./refusals.ts";
import type { Revision } from "./revision.ts";

/** The revision as it was. */
export async function deleteRevision(
  core: Core,
  request: WorkspaceRequest & { readonly revisionId: string },
): Promise<Result<SeenRevision, WorkspaceRefusal | RevisionRefusal | RevisionInUseRefusal>> {
  const { workspaceId, revisionId } = request;
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const deleted = await core.store.transact(async (tx) => {
    const found = await tx.revisions.find(revisionId);
    if (found === null || found.workspaceId !== workspaceId) {
      return refused({ reason: "revision_not_found" as const, revisionId });
    }
    return await removeRevision(core, tx, found);
  });
  return deleted.ok ? ok({ revision: deleted.value, isPinned: false }) : deleted;
}

/** Deletes a revision that nothing needs. */
export async function removeRevision(
  { clock }: Core,
  tx: StoreTransaction,
  { id: revisionId, workspaceId }: Pick<Revision, "id" | "workspaceId">,
): Promise<Result<Revision, RevisionRefusal | RevisionInUseRefusal>> {
  // One after the other: each rewrites whose parents its children have.
  await tx.workspaces.lock(workspaceId);
  const revision = await tx.revisions.lock(revisionId);
  if (revision === null) return refused({ reason: "revision_not_found", revisionId });
  const use = await tx.revisions.findUse({ id: revisionId, now: clock.now() });
  if (use !== null) return refused({ reason: "revision_in_use", revisionId, use });
  await tx.revisions.delete(revision);
  return ok(revision);
}
