// Several revisions merged into one, in turn: the work of workers side by side, for one changeset.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { Actor } from "../actor.ts";
import { compareRevisions } from "../changesets/compare-changeset.ts";
import { prepareTree } from "../changesets/land-tree.ts";
import type { TreesMerged } from "../merges/merge-revisions.ts";
import { keepContents, keepObjects, rowObject } from "../objects/keep-objects.ts";
import { newRevision } from "../revisions/new-revision.ts";
import type { Revision } from "../revisions/revision.ts";
import type { DeskRefusal } from "./desk-port.ts";

const MAX_NAMED_PATHS = 50;

type JoinRequest = {
  readonly workspaceId: string;
  /** At least one. */
  readonly revisionIds: readonly string[];
  readonly author: Actor;
  readonly signal: AbortSignal;
};

/** Nothing is accepted by it. Refused where two of them conflict, with the paths. */
export async function joinRevisions(
  core: Core,
  request: JoinRequest,
): Promise<Result<Revision, DeskRefusal>> {
  const { workspaceId, revisionIds, signal } = request;
  let joined: Revision | null = null;
  for (const revisionId of new Set(revisionIds)) {
    const theirs = await core.store.committed.revisions.find(revisionId);
    if (theirs?.workspaceId !== workspaceId)
      return refused({ why: `The workspace has no revision ${revisionId}.` });
    if (joined === null) {
      joined = theirs;
      continue;
    }
    const compared = await compareRevisions(core, { current: joined, theirs, signal });
    if (!compared.ok) return refused({ why: `Revision ${revisionId} is too large to be merged.` });
    const { base, merged } = compared.value;
    if (base?.id === theirs.id) continue;
    const { conflicts } = merged;
    if (conflicts.length > 0) {
      const paths = conflicts.slice(0, MAX_NAMED_PATHS).map(({ path }) => path);
      const why = `Revision ${revisionId} conflicts with those named before it at: ${paths.join(", ")}. Have a worker settle it in a copy of the one, with what the other changed there, and leave the other out.`;
      return refused({ why });
    }
    joined = await keepJoined(core, request, { joined, theirs, merged });
  }
  return joined === null ? refused({ why: "No revision was named." }) : ok(joined);
}

async function keepJoined(
  core: Core,
  { workspaceId, author, signal }: JoinRequest,
  { joined, theirs, merged }: { joined: Revision; theirs: Revision; merged: TreesMerged },
): Promise<Revision> {
  const { treeOid, made } = merged;
  const prepared = await prepareTree(core, { current: joined, parents: [theirs], treeOid, made, signal });
  try {
    const { files, bytes, contents } = prepared;
    return await core.store.transact(async (tx) => {
      const now = core.clock.now();
      const { revision, commit } = newRevision(core, {
        workspaceId,
        treeOid,
        parents: [joined, theirs],
        author,
        files,
        bytes,
        now,
        message: "Work of several workers",
        isAccepted: false,
      });
      const trees = prepared.made
        .filter(({ kind }) => kind === "tree")
        .map(({ oid, data }) => rowObject({ kind: "tree", data }, oid));
      await keepContents(tx, { workspaceId, contents, now });
      await keepObjects(tx, { workspaceId, objects: [...trees, commit], now });
      await tx.revisions.insert(revision);
      return revision;
    });
  } finally {
    await prepared.release();
  }
}
