// GET …/changesets and …/changesets/{changesetID}.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import { ok, type Result } from "../../../../base/result.ts";
import type { ChangesetStatus } from "../../../../contract/workspaces/changesets/changeset.ts";
import type { ScratchRefusal, TreeDiff } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { reachFiles, reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { FilesClosedRefusal, WorkspaceRefusal } from "../refusals.ts";
import { type Changeset, isUndecided } from "./changeset.ts";
import { compareRevisions, diffRevisions } from "./compare-changeset.ts";
import { type ChangesetRequest, keptRevision, reachChangeset } from "./reach-changeset.ts";
import type { ChangesetRefusal } from "./refusals.ts";

const MAX_PATCH_BYTES = 2_000_000;

export async function listChangesets(
  core: Core,
  { query, status, ...request }: WorkspaceRequest & { query: PageRequest; status: ChangesetStatus | null },
): Promise<Result<Page<Changeset>, WorkspaceRefusal | CursorRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { workspaceId } = request;
  return await pageById(query, (page) =>
    core.store.committed.changesets.list({ workspaceId, status, ...page }),
  );
}

/** `diff` is null where it was not asked for. */
export type SeenChangeset = { readonly changeset: Changeset; readonly diff: TreeDiff | null };

/** An undecided one as it stands to the revision that is current now. */
export async function readChangeset(
  core: Core,
  request: ChangesetRequest & { readonly withPatch: boolean; readonly signal: AbortSignal },
): Promise<Result<SeenChangeset, WorkspaceRefusal | FilesClosedRefusal | ChangesetRefusal | ScratchRefusal>> {
  const { withPatch, signal } = request;
  const workspace = await (withPatch ? reachFiles : reachWorkspace)(core, request);
  if (!workspace.ok) return workspace;
  const found = await reachChangeset(core, request);
  if (!found.ok) return found;
  const changeset = await asOf(core, found.value, { currentId: workspace.value.currentRevisionId, signal });
  if (!changeset.ok) return changeset;
  if (!withPatch) return ok({ changeset: changeset.value, diff: null });
  const diff = await diffOf(core, changeset.value, signal);
  return diff.ok ? ok({ changeset: changeset.value, diff: diff.value }) : diff;
}

/** The changeset, compared with another current revision than it was last. Nothing of it is stored. */
async function asOf(
  core: Core,
  changeset: Changeset,
  { currentId, signal }: { currentId: string; signal: AbortSignal },
): Promise<Result<Changeset, ScratchRefusal>> {
  if (!isUndecided(changeset) || changeset.targetRevisionId === currentId) return ok(changeset);
  const { revisions } = core.store.committed;
  const current = await keptRevision(revisions, currentId);
  const theirs = await keptRevision(revisions, changeset.revisionId);
  const compared = await compareRevisions(core, { current, theirs, signal });
  if (!compared.ok) return compared;
  const { conflicts } = compared.value.merged;
  const status = conflicts.length === 0 ? "open" : "conflicted";
  return ok({ ...changeset, status, targetRevisionId: currentId, conflicts });
}

async function diffOf(
  core: Core,
  { baseRevisionId, revisionId }: Changeset,
  signal: AbortSignal,
): Promise<Result<TreeDiff, ScratchRefusal>> {
  const { revisions } = core.store.committed;
  // The base may have been deleted since: then everything is new.
  const base = (await revisions.find(baseRevisionId))?.treeOid ?? EMPTY_TREE;
  const theirs = await keptRevision(revisions, revisionId);
  return await diffRevisions(core, { base, theirs, maxPatchBytes: MAX_PATCH_BYTES, signal });
}
