// Revisions that a push brings to a copy: the commit stays as it was pushed, and the copy is based on it from then on. Judged
// outside of any transaction, then kept in one, where the copy is still what its pusher has seen.
// Why: docs/decisions/182-workspaces-are-git-servers.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import { MAX_MESSAGE_CHARS } from "../../../../contract/workspaces/copies/copy.ts";
import type { PushedHistory } from "../../checkouts/git-service.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Copy } from "../copies/copy.ts";
import { claimCopy } from "../files/reach-files.ts";
import type { WriteFilesRefusal } from "../files/refusals.ts";
import { LINK_MODE, staysInside, targetOf } from "../files/symbolic-link.ts";
import { countMore } from "../merges/made-trees.ts";
import { isAncestor } from "../merges/merge-base.ts";
import { parseCommit } from "../objects/commit-object.ts";
import { MissingObjectError } from "../objects/git-object.ts";
import { type ObjectSource, objectSource } from "../objects/object-source.ts";
import { checkPath } from "../paths/workspace-path.ts";
import { keepingOf, shareForWork, type WorkspaceRequest } from "../reach-workspace.ts";
import type { Revision } from "../revisions/revision.ts";
import { diffTrees, type TreeChange } from "../trees/diff-trees.ts";
import { findUnportable } from "../trees/find-unportable.ts";
import { actorOf } from "../workspace-caller.ts";
import type { PushRefusal } from "./refusals.ts";

export type LandRefusal = PushRefusal | WriteFilesRefusal;

/** A move of a copy that may be kept. */
export type PreparedMove = {
  readonly copy: Copy;
  readonly base: Revision;
  /** Revisions that have to be there still. */
  readonly builtOn: readonly Revision[];
  readonly revision: Revision;
  /** False where the revision was there before. */
  readonly isNew: boolean;
};

type Move = WorkspaceRequest & { readonly copy: Copy; readonly base: Revision };

/** Everything to which the commit leads is stored. */
export async function prepareMove(
  core: Core,
  move: Move,
  { tip, builtOn: commitOids, commits }: PushedHistory,
): Promise<Result<PreparedMove, LandRefusal>> {
  const { caller, workspaceId, copy, base } = move;
  const { revisions, objects } = core.store.committed;
  const found = await revisions.findByCommits({ workspaceId, commitOids });
  const byCommit = new Map([...found, base].map((one) => [one.commitOid, one]));
  const builtOn = commitOids.flatMap((oid) => byCommit.get(oid) ?? []);
  if (builtOn.length < commitOids.length) return refused({ reason: "push_stale", copyId: copy.id });
  if (!(await leadsTo(core, base, builtOn))) return refused({ reason: "push_not_forward", copyId: copy.id });
  const [first] = builtOn;
  if (commits === 0 && first !== undefined) {
    const fault = await treeFault(core, { workspaceId, before: base.treeOid, after: first.treeOid });
    if (fault.refusal !== null) return refused(fault.refusal);
    return ok({ copy, base, builtOn, revision: first, isNew: false });
  }
  const [node] = await objects.findNodes({ workspaceId, oids: [tip] });
  if (node?.kind !== "commit") throw new MissingObjectError(tip);
  const { tree: treeOid, message } = parseCommit(node.data);
  const { refusal, source, changes } = await treeFault(core, {
    workspaceId,
    before: base.treeOid,
    after: treeOid,
  });
  if (refusal !== null) return refused(refusal);
  const more = await countMore(source, [], changes);
  const now = core.clock.now();
  const revision: Revision = {
    id: core.random.uuid(now),
    workspaceId,
    commitOid: tip,
    treeOid,
    parentIds: builtOn.map(({ id }) => id),
    message: message.replaceAll("\0", "").trimEnd().slice(0, MAX_MESSAGE_CHARS).toWellFormed(),
    author: actorOf(caller),
    files: base.files + more.files,
    bytes: base.bytes + more.bytes,
    createdAt: now,
    acceptedAt: null,
  };
  return ok({ copy, base, builtOn, revision, isNew: true });
}

async function leadsTo(core: Core, base: Revision, builtOn: readonly Revision[]): Promise<boolean> {
  for (const one of builtOn) {
    if (one.id === base.id || (await isAncestor(core.store.committed.revisions, base, one))) return true;
  }
  return false;
}

/** The first file that a copy may not be given; as for every other write to it. */
async function treeFault(
  core: Core,
  { workspaceId, before, after }: { workspaceId: string; before: string; after: string },
): Promise<{
  readonly refusal: LandRefusal | null;
  readonly source: ObjectSource;
  readonly changes: readonly TreeChange[];
}> {
  const source = objectSource(core, workspaceId);
  const changes = await diffTrees(source, before, after);
  for (const { path, after: file } of changes) {
    if (file === null) continue;
    const checked = checkPath(path, file.mode);
    if (!checked.ok) return { refusal: checked.refusal, source, changes };
  }
  const linkFault = await findLinkFault(source, changes);
  if (linkFault !== null) return { refusal: linkFault, source, changes };
  const refusal = keepingOf(core).keepsPathsPortable
    ? await findUnportable(source, { before, after, changes })
    : null;
  return { refusal, source, changes };
}

async function findLinkFault(
  source: ObjectSource,
  changes: readonly TreeChange[],
): Promise<LandRefusal | null> {
  const links = changes.flatMap(({ path, after }) =>
    after?.mode === LINK_MODE ? [{ path, oid: after.oid }] : [],
  );
  if (links.length === 0) return null;
  const rows = await source.rows([...new Set(links.map(({ oid }) => oid))]);
  for (const { path, oid } of links) {
    const target = targetOf(rows.get(oid) ?? null);
    if (target === null || !staysInside(path, target)) return { reason: "link_target_invalid", path, target };
  }
  return null;
}

/** Moves the copy, where it is still what was judged. */
export async function landMove(
  core: Core,
  tx: StoreTransaction,
  request: WorkspaceRequest,
  { copy, base, builtOn, revision, isNew }: PreparedMove,
): Promise<Result<null, LandRefusal>> {
  const { caller, workspaceId } = request;
  const { id: copyId } = copy;
  const shared = await shareForWork(core, tx, request);
  if (!shared.ok) return shared;
  const claimed = await claimCopy(tx, { caller, copyId, isAlone: true });
  if (!claimed.ok) return claimed;
  if (claimed.value.baseRevisionId !== base.id) return refused({ reason: "push_stale", copyId });
  const unsaved = await tx.copyEntries.list({ copyId, from: null, before: null, limit: 1 });
  if (unsaved.length > 0) return refused({ reason: "push_unsaved", workspaceId, copyId });
  for (const { id } of builtOn) {
    if ((await tx.revisions.share(id)) === null) return refused({ reason: "push_stale", copyId });
  }
  if (revision.id === base.id) return ok(null);
  const now = core.clock.now();
  if (isNew) {
    const absent = await tx.objects.touch({ workspaceId, oids: [revision.commitOid], now });
    if (absent.length > 0) throw new MissingObjectError(revision.commitOid);
    await tx.revisions.insert(revision);
  }
  await tx.copies.rebase({ id: copyId, baseRevisionId: revision.id, baseTreeOid: revision.treeOid });
  const moves = [{ what: "revision", id: revision.id, state: "saved" }] as const;
  if (isNew) await tx.workspaceEvents.append({ workspaceId, moves, now });
  return ok(null);
}
