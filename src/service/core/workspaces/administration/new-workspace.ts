// Makes a workspace: with a revision that has no files, and the canonical copy of it.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Actor } from "../actor.ts";
import { newRevision, smallObject } from "../revisions/new-revision.ts";
import type { Workspace } from "../workspace.ts";

type NewWorkspace = Omit<Workspace, "state" | "canonicalCopyId" | "currentRevisionId" | "createdAt"> & {
  readonly createdBy: Actor;
};

/** Whether the manager may be that, its caller knows. */
export async function insertWorkspace(
  core: Core,
  tx: StoreTransaction,
  { createdBy, ...given }: NewWorkspace,
): Promise<Workspace> {
  const now = core.clock.now();
  const { id: workspaceId } = given;
  const { revision, commit } = newRevision(core, {
    workspaceId,
    treeOid: EMPTY_TREE,
    parents: [],
    message: "New workspace",
    author: createdBy,
    files: 0,
    bytes: 0,
    isAccepted: true,
    now,
  });
  const canonicalCopyId = core.random.uuid(now);
  const workspace: Workspace = {
    ...given,
    state: "ready",
    canonicalCopyId,
    currentRevisionId: revision.id,
    createdAt: now,
  };
  await tx.objects.put({ workspaceId, objects: [smallObject("tree", new Uint8Array()), commit], now });
  await tx.revisions.insert(revision);
  await tx.copies.insert({
    id: canonicalCopyId,
    workspaceId,
    isCanonical: true,
    state: "ready",
    baseRevisionId: revision.id,
    baseTreeOid: EMPTY_TREE,
    savedRevisionId: revision.id,
    createdBy,
    createdAt: now,
  });
  await tx.workspaces.insert(workspace);
  const { managerAgentId: agentId } = given;
  await tx.members.insert({ id: core.random.uuid(now), workspaceId, agentId, createdAt: now });
  return workspace;
}
