// Shared parts of accepting a changeset and resolving one: a tree that is ready becomes the current revision, and the changeset
// is decided with it. A key makes it happen once; whoever is not the owner asks the owner for it.
// Why: docs/decisions/077-changesets.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Evidence } from "../../../../contract/workspaces/changesets/changeset.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { MissingObjectError } from "../objects/git-object.ts";
import { reachForWork } from "../reach-workspace.ts";
import type { Revision } from "../revisions/revision.ts";
import type { Workspace } from "../workspace.ts";
import { actorOf } from "../workspace-caller.ts";
import { resolveReviews } from "./ask-owner.ts";
import { type Changeset, isUndecided } from "./changeset.ts";
import { landTree, type PreparedTree } from "./land-tree.ts";
import { type ChangesetRequest, keptRevision, reachChangeset } from "./reach-changeset.ts";
import type { ChangesetDecidedRefusal, ChangesetRefusal, DecideRefusal } from "./refusals.ts";
import type { Alongside } from "./reviews.ts";

type Deciding = ChangesetRequest & {
  readonly expectedRevisionId: string;
  readonly evidence: Evidence;
  readonly key: string | null;
  /** All that makes two requests the same. */
  readonly asked: unknown;
  readonly signal: AbortSignal;
  /** Null: nothing else happens with it. */
  readonly alongside: Alongside | null;
};

export type DecisionTarget = {
  readonly workspace: Workspace;
  readonly changeset: Changeset;
  readonly current: Revision;
  readonly theirs: Revision;
};

/** The tree that is to be current; null where it is the current revision's already. */
type Prepare<Refusal> = (target: DecisionTarget) => Promise<Result<PreparedTree | null, Refusal>>;

/** `prepare` works outside of any transaction, and is refused where the changeset cannot be decided as it is. */
export async function decideChangeset<Refusal = never>(
  core: Core,
  request: Deciding,
  prepare: Prepare<Refusal>,
): Promise<OnceResult<Changeset, Refusal | DecideRefusal>> {
  const { caller, workspaceId, key, asked } = request;
  const reached = await reachForWork(core, request);
  if (!reached.ok) return reached;
  const prepared = await prepareDecision(core, request, prepare);
  const tree = prepared.ok ? prepared.value : null;
  try {
    const decided = await onceByKey<Refusal | DecideRefusal>(
      core,
      { scope: `changesets ${workspaceId}`, accountId: caller.accountId, key, request: asked },
      async (tx) => (prepared.ok ? await decide(core, tx, { ...request, tree }) : prepared),
    );
    if (!decided.ok) return decided;
    if (!decided.value.isReplay) core.signals.publish(workspaceId);
    return onceResult(await reachChangeset(core, request), decided.value);
  } finally {
    await tree?.release();
  }
}

async function prepareDecision<Refusal>(
  core: Core,
  request: Deciding,
  prepare: Prepare<Refusal>,
): Promise<Result<PreparedTree | null, Refusal | DecideRefusal>> {
  const { expectedRevisionId: expected } = request;
  const workspace = await reachForWork(core, request);
  if (!workspace.ok) return workspace;
  const changeset = await undecided(core, request);
  if (!changeset.ok) return changeset;
  const { currentRevisionId } = workspace.value;
  if (currentRevisionId !== expected) {
    return refused({ reason: "current_revision_moved", expected, current: currentRevisionId });
  }
  const { revisions } = core.store.committed;
  const current = await keptRevision(revisions, currentRevisionId);
  const theirs = await keptRevision(revisions, changeset.value.revisionId);
  return await prepare({ workspace: workspace.value, changeset: changeset.value, current, theirs });
}

async function undecided(
  core: Core,
  request: ChangesetRequest,
  changesets?: Parameters<typeof reachChangeset>[2],
): Promise<Result<Changeset, ChangesetRefusal | ChangesetDecidedRefusal>> {
  const found = await reachChangeset(core, request, changesets);
  if (!found.ok || isUndecided(found.value)) return found;
  const { id: changesetId, status } = found.value;
  return refused({ reason: "changeset_decided", changesetId, status });
}

async function decide(
  core: Core,
  tx: StoreTransaction,
  request: Deciding & { readonly tree: PreparedTree | null },
): Promise<Result<string, DecideRefusal>> {
  const { workspaceId, expectedRevisionId: expected, caller, tree, evidence } = request;
  const workspace = await reachForWork(core, request, {
    workspaces: { ...tx.workspaces, find: (id) => tx.workspaces.lock(id) },
  });
  if (!workspace.ok) return workspace;
  const changeset = await undecided(core, request, { find: (id) => tx.changesets.lock(id) });
  if (!changeset.ok) return changeset;
  const { currentRevisionId } = workspace.value;
  if (currentRevisionId !== expected) {
    return refused({ reason: "current_revision_moved", expected, current: currentRevisionId });
  }
  const accepted = await land(core, tx, {
    ...request,
    workspace: workspace.value,
    changeset: changeset.value,
  });
  if (!accepted.ok) return accepted;
  const now = core.clock.now();
  const { id } = changeset.value;
  await tx.changesets.update(id, {
    status: "accepted",
    targetRevisionId: expected,
    conflicts: [],
    evidence,
    rejectReason: null,
    acceptedRevisionId: accepted.value,
    decidedAt: now,
    decidedBy: actorOf(caller),
  });
  await request.alongside?.(tx);
  await resolveReviews(core, tx, { workspace: workspace.value, changesetId: id });
  const revision = { what: "revision", id: accepted.value, state: "accepted" } as const;
  const moves = [...(tree === null ? [] : [revision]), { what: "changeset", id, state: "accepted" } as const];
  await tx.workspaceEvents.append({ workspaceId, moves, now });
  return ok(id);
}

/** The id of the revision that is current then. */
async function land(
  core: Core,
  tx: StoreTransaction,
  {
    tree,
    workspace,
    changeset,
    caller,
  }: Deciding & { tree: PreparedTree | null; workspace: Workspace; changeset: Changeset },
): Promise<Result<string, DecideRefusal>> {
  if (tree === null) return ok(workspace.currentRevisionId);
  for (const { id } of tree.parents) {
    if ((await tx.revisions.share(id)) === null) throw new MissingObjectError(id);
  }
  const { title, summary } = changeset;
  const message = summary === "" ? title : `${title}\n\n${summary}`;
  const landed = await landTree(core, tx, { workspace, prepared: tree, message, author: actorOf(caller) });
  return landed.ok ? ok(landed.value.id) : landed;
}
