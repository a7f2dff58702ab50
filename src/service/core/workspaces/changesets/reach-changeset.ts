// The changeset that a request means, and the revisions that it is about.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import { MissingObjectError } from "../objects/git-object.ts";
import type { WorkspaceRequest } from "../reach-workspace.ts";
import type { Revision } from "../revisions/revision.ts";
import type { RevisionReader } from "../revisions/store-port.ts";
import type { Changeset } from "./changeset.ts";
import type { ChangesetRefusal } from "./refusals.ts";

export type ChangesetRequest = WorkspaceRequest & { readonly changesetId: string };

type Finding = { find(id: string): Promise<Changeset | null> };

/** The caller may read the workspace. */
export async function reachChangeset(
  core: Core,
  { workspaceId, changesetId }: { workspaceId: string; changesetId: string },
  changesets: Finding = core.store.committed.changesets,
): Promise<Result<Changeset, ChangesetRefusal>> {
  const changeset = await changesets.find(changesetId);
  return changeset === null || changeset.workspaceId !== workspaceId
    ? refused({ reason: "changeset_not_found", changesetId })
    : ok(changeset);
}

/** One that others keep from being deleted. */
export async function keptRevision(revisions: RevisionReader, id: string): Promise<Revision> {
  const revision = await revisions.find(id);
  if (revision === null) throw new MissingObjectError(id);
  return revision;
}
