// POST …/changesets: proposes what a copy has saved, or a revision.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type { CreateChangesetRequest } from "../../../../contract/workspaces/changesets/changeset.ts";
import type { ScratchRefusal } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { objectSource } from "../objects/object-source.ts";
import { reachForWork, shareForWork, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Revision } from "../revisions/revision.ts";
import { diffTrees } from "../trees/diff-trees.ts";
import type { Workspace } from "../workspace.ts";
import { actorOf } from "../workspace-caller.ts";
import type { Changeset } from "./changeset.ts";
import { compareRevisions, diffRevisions } from "./compare-changeset.ts";
import { keptRevision } from "./reach-changeset.ts";
import type { ChangesetSourceRefusal } from "./refusals.ts";

type NewChangesetRequest = WorkspaceRequest & {
  readonly body: Unkeyed<CreateChangesetRequest>;
  readonly idempotencyKey: string | null;
  readonly signal: AbortSignal;
  /** Default: a new one. */
  readonly id?: string;
  /** Whose workers' work it is. Default: that of the copy's run. */
  readonly taskGroupId?: string;
};
type Refusal = WorkspaceRefusal | WorkRefusal | ChangesetSourceRefusal | ScratchRefusal;

/** Accepts nothing: says whether it could be accepted now. */
export async function createChangeset(
  core: Core,
  request: NewChangesetRequest,
): Promise<OnceResult<Changeset, Refusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const { caller, workspaceId, body } = request;
  const reached = await reachForWork(core, request);
  if (!reached.ok) return reached;
  // Git works outside of any transaction. Where the key was used before, this is done for nothing.
  const prepared = await prepare(core, request, reached.value);
  const made = await onceByKey<Refusal>(
    core,
    {
      scope: `changesets ${workspaceId}`,
      accountId: caller.accountId,
      key: request.idempotencyKey,
      request: { create: body },
    },
    async (tx) => {
      if (!prepared.ok) return prepared;
      const shared = await shareForWork(core, tx, request);
      if (!shared.ok) return shared;
      const { revisionId } = prepared.value;
      if ((await tx.revisions.share(revisionId)) === null) {
        return refused({ reason: "revision_not_found", revisionId });
      }
      await tx.changesets.insert(prepared.value);
      const { id, status: state } = prepared.value;
      const now = core.clock.now();
      await tx.workspaceEvents.append({ workspaceId, moves: [{ what: "changeset", id, state }], now });
      return ok(id);
    },
  );
  if (!made.ok) return made;
  if (!made.value.isReplay) core.signals.publish(workspaceId);
  const changeset = await core.store.committed.changesets.find(made.value.subjectId);
  if (changeset === null) throw new TypeError(`Changeset ${made.value.subjectId} is gone.`);
  return onceResult(ok(changeset), made.value);
}

async function prepare(
  core: Core,
  { caller, body, signal, taskGroupId, id }: NewChangesetRequest,
  workspace: Workspace,
): Promise<Result<Changeset, ChangesetSourceRefusal | ScratchRefusal>> {
  const source = await findSource(core, workspace, body);
  if (!source.ok) return source;
  const { revision: theirs, copyId } = source.value;
  const { committed } = core.store;
  const current = await keptRevision(committed.revisions, workspace.currentRevisionId);
  const compared = await compareRevisions(core, { current, theirs, signal });
  if (!compared.ok) return compared;
  const { base, merged } = compared.value;
  if (base?.id === theirs.id) return refused({ reason: "changeset_empty", revisionId: theirs.id });
  const baseTree = base?.treeOid ?? EMPTY_TREE;
  const lines = await countLines(core, { base: baseTree, theirs, signal });
  const now = core.clock.now();
  return ok({
    id: id ?? core.random.uuid(now),
    workspaceId: workspace.id,
    copyId,
    revisionId: theirs.id,
    status: merged.conflicts.length === 0 ? "open" : "conflicted",
    title: body.title,
    summary: body.summary ?? "",
    ...lines,
    baseRevisionId: base?.id ?? current.id,
    targetRevisionId: current.id,
    conflicts: merged.conflicts,
    evidence: null,
    rejectReason: null,
    acceptedRevisionId: null,
    decidedAt: null,
    decidedBy: null,
    taskGroupId: copyId === null ? (taskGroupId ?? null) : await committed.changesets.taskGroupOf(copyId),
    createdBy: actorOf(caller),
    createdAt: now,
  });
}

type Source = { readonly revision: Revision; readonly copyId: string | null };

async function findSource(
  core: Core,
  workspace: Workspace,
  { working_copy_id: copyId, revision_id: revisionId }: NewChangesetRequest["body"],
): Promise<Result<Source, ChangesetSourceRefusal>> {
  const { copies, revisions } = core.store.committed;
  if ((copyId === undefined) === (revisionId === undefined)) {
    return refused({ reason: "changeset_source_malformed" });
  }
  if (revisionId !== undefined) {
    const revision = await revisions.find(revisionId);
    return revision === null || revision.workspaceId !== workspace.id
      ? refused({ reason: "revision_not_found", revisionId })
      : ok({ revision, copyId: null });
  }
  const copy = copyId === undefined ? null : await copies.find(copyId);
  if (copy === null || copy.workspaceId !== workspace.id || copy.isCanonical || copy.state === "deleting") {
    return refused({ reason: "copy_not_found", copyId: copyId ?? "" });
  }
  const files = (await copies.countChanges([copy.id])).get(copy.id) ?? 0;
  if (files > 0) return refused({ reason: "copy_unsaved", copyId: copy.id, files });
  return ok({ revision: await keptRevision(revisions, copy.baseRevisionId), copyId: copy.id });
}

/** The lines are null where the files are too large for git to compare in time. */
async function countLines(
  core: Core,
  sides: { base: string; theirs: Revision; signal: AbortSignal },
): Promise<Pick<Changeset, "files" | "additions" | "deletions">> {
  const diff = await diffRevisions(core, { ...sides, maxPatchBytes: 0 });
  if (!diff.ok) {
    const { base, theirs } = sides;
    const changes = await diffTrees(objectSource(core, theirs.workspaceId), base, theirs.treeOid);
    return { files: changes.length, additions: null, deletions: null };
  }
  const { files } = diff.value;
  let [additions, deletions] = [0, 0];
  for (const file of files) {
    additions += file.additions;
    deletions += file.deletions;
  }
  return { files: files.length, additions, deletions };
}
