// A changeset and the current revision: where they went apart, what git makes of both, and what the changeset changes.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import { ok, type Result } from "../../../../base/result.ts";
import type { ScratchRefusal, TreeDiff } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import { differingOids, givenObjects } from "../merges/differing-objects.ts";
import { findMergeBase } from "../merges/merge-base.ts";
import { mergeTreesOf, type TreesMerged } from "../merges/merge-revisions.ts";
import { objectSource } from "../objects/object-source.ts";
import { keepingOf } from "../reach-workspace.ts";
import type { Revision } from "../revisions/revision.ts";

export type Compared = {
  readonly current: Revision;
  readonly theirs: Revision;
  /** Null where they have no revision in common. */
  readonly base: Revision | null;
  readonly merged: TreesMerged;
};

export async function compareRevisions(
  core: Core,
  { current, theirs, signal }: { current: Revision; theirs: Revision; signal: AbortSignal },
): Promise<Result<Compared, ScratchRefusal>> {
  const base = await findMergeBase(core.store.committed.revisions, current, theirs);
  const merged = await mergeTreesOf(core, {
    workspaceId: current.workspaceId,
    sides: { base: base?.treeOid ?? EMPTY_TREE, ours: current.treeOid, theirs: theirs.treeOid },
    signal,
  });
  return merged.ok ? ok({ current, theirs, base, merged: merged.value }) : merged;
}

/** Changes of a revision against its base, by git. */
export async function diffRevisions(
  core: Core,
  diff: { base: string; theirs: Revision; maxPatchBytes: number; signal: AbortSignal },
): Promise<Result<TreeDiff, ScratchRefusal>> {
  const { base: from, theirs, maxPatchBytes, signal } = diff;
  const { workspaceId, treeOid: to } = theirs;
  const oids = await differingOids(objectSource(core, workspaceId), [from, to]);
  const objects = await givenObjects(core, workspaceId, oids);
  return await keepingOf(core).scratch.diff({ from, to, objects, maxPatchBytes }, signal);
}
