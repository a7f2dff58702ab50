// POST …/changesets/{changesetID}/accept.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type {
  AcceptChangesetRequest,
  Evidence,
} from "../../../../contract/workspaces/changesets/changeset.ts";
import type { OwnerNeededRefusal } from "../../accounts/refusals.ts";
import type { ScratchRefusal } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import type { OnceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import type { PathCollision } from "../paths/portable-path.ts";
import { isWorkspaceOwner } from "../workspace-caller.ts";
import { askOwner } from "./ask-owner.ts";
import { type Changeset, isUndecided } from "./changeset.ts";
import { type Compared, compareRevisions } from "./compare-changeset.ts";
import { type DecisionTarget, decideChangeset } from "./decide-changeset.ts";
import { collisionIn, type PreparedTree, prepareTree } from "./land-tree.ts";
import type { ChangesetRequest } from "./reach-changeset.ts";
import type { ConflictRefusal, DecideRefusal } from "./refusals.ts";
import type { Alongside } from "./reviews.ts";

const MAX_NAMED_PATHS = 100;

type AcceptRefusal = DecideRefusal | KeyInFlightRefusal | KeyReusedRefusal;

type AcceptRequest = ChangesetRequest & {
  readonly body: Unkeyed<AcceptChangesetRequest>;
  readonly idempotencyKey: string | null;
  readonly signal: AbortSignal;
};

/** The owner's own. Whoever else asks is told where the owner approves it. */
export async function acceptChangeset(
  core: Core,
  request: AcceptRequest,
): Promise<OnceResult<Changeset, AcceptRefusal>> {
  const { changesetId, body } = request;
  const { expected_current_revision: expectedRevisionId, validation_evidence: evidence } = body;
  return await accept(core, {
    ...request,
    expectedRevisionId,
    evidence,
    key: request.idempotencyKey,
    asked: { accept: changesetId, expectedRevisionId, evidence },
    alongside: null,
  });
}

type Accepting = ChangesetRequest & {
  readonly expectedRevisionId: string;
  readonly evidence: Evidence;
  readonly key: string | null;
  readonly asked: unknown;
  readonly signal: AbortSignal;
  readonly alongside: Alongside | null;
};

export async function accept(
  core: Core,
  accepting: Accepting,
): Promise<OnceResult<Changeset, AcceptRefusal>> {
  return await decideChangeset<OwnerNeededRefusal | ConflictRefusal | ScratchRefusal | PathCollision>(
    core,
    accepting,
    async (target) => await prepare(core, accepting, target),
  );
}

async function prepare(
  core: Core,
  accepting: Accepting,
  target: DecisionTarget,
): Promise<
  Result<PreparedTree | null, OwnerNeededRefusal | ConflictRefusal | ScratchRefusal | PathCollision>
> {
  const { workspace, changeset, current, theirs } = target;
  const { caller, signal } = accepting;
  const compared = await compareRevisions(core, { current, theirs, signal });
  if (!compared.ok) return compared;
  const { base, merged } = compared.value;
  if (merged.conflicts.length > 0) return await conflicted(core, target, compared.value);
  if (!isWorkspaceOwner(caller)) {
    const { expectedRevisionId, evidence } = accepting;
    const { id: changesetId, title, files, additions, deletions, revisionId } = changeset;
    const about = { workspaceId: workspace.id, changesetId, revisionId, title, files, additions, deletions };
    const action = { kind: "accept_changeset", ...about, expectedRevisionId, evidence } as const;
    return await askOwner(core, { workspace, caller, action: { ...action, resolvedRevisionId: null } });
  }
  // Another changeset has brought it already.
  if (base?.id === theirs.id) return ok(null);
  const { treeOid, made } = merged;
  const prepared = await prepareTree(core, { current, parents: [theirs], treeOid, made, signal });
  const collision = await collisionIn(core, prepared).catch(async (cause: unknown) => {
    await prepared.release();
    throw cause;
  });
  if (collision === null) return ok(prepared);
  await prepared.release();
  return refused(collision);
}

/** Says so from now on, whoever reads it. */
async function conflicted(
  core: Core,
  { workspace, changeset, current }: DecisionTarget,
  { merged: { conflicts } }: Compared,
): Promise<{ readonly ok: false; readonly refusal: ConflictRefusal }> {
  const { id: changesetId, workspaceId } = changeset;
  await core.store.transact(async (tx) => {
    const locked = await tx.changesets.lock(changesetId);
    if (locked === null || !isUndecided(locked)) return;
    await tx.changesets.update(changesetId, {
      ...locked,
      status: "conflicted",
      targetRevisionId: current.id,
      conflicts,
    });
    if (locked.status === "conflicted") return;
    const moves = [{ what: "changeset", id: changesetId, state: "conflicted" }] as const;
    await tx.workspaceEvents.append({ workspaceId, moves, now: core.clock.now() });
  });
  core.signals.publish(workspace.id);
  const paths = conflicts.map(({ path }) => path).slice(0, MAX_NAMED_PATHS);
  return refused({ reason: "changeset_conflicted", changesetId, current: current.id, paths });
}
