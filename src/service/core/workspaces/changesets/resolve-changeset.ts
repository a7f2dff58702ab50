// POST …/changesets/{changesetID}/resolve: says what is to be at each path in conflict, or names a revision that has it settled.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type {
  Evidence,
  Resolution,
  ResolveChangesetRequest,
} from "../../../../contract/workspaces/changesets/changeset.ts";
import type { OwnerNeededRefusal } from "../../accounts/refusals.ts";
import type { MergeConflict, MergeSide, ScratchRefusal } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import type { OnceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { withMade } from "../merges/made-trees.ts";
import { isAncestor } from "../merges/merge-base.ts";
import type { MadeObject, TreesMerged } from "../merges/merge-revisions.ts";
import { oidOf } from "../objects/git-object.ts";
import { objectSource } from "../objects/object-source.ts";
import type { FileMode } from "../objects/tree-object.ts";
import { applyChanges } from "../trees/apply-changes.ts";
import type { FileState } from "../trees/join-entries.ts";
import { isWorkspaceOwner } from "../workspace-caller.ts";
import { workspaceUrl } from "../workspace-url.ts";
import { askOwner } from "./ask-owner.ts";
import type { Changeset } from "./changeset.ts";
import { compareRevisions } from "./compare-changeset.ts";
import { type DecisionTarget, decideChangeset } from "./decide-changeset.ts";
import { type PreparedTree, prepareTree } from "./land-tree.ts";
import type { ChangesetRequest } from "./reach-changeset.ts";
import type { DecideRefusal, ResolutionRefusal } from "./refusals.ts";
import type { Alongside } from "./reviews.ts";

const MAX_NAMED_PATHS = 100;

type ResolveRequest = ChangesetRequest & {
  readonly body: Unkeyed<ResolveChangesetRequest>;
  readonly idempotencyKey: string | null;
  readonly signal: AbortSignal;
};

type ResolveRefusal = DecideRefusal | ResolutionRefusal | KeyInFlightRefusal | KeyReusedRefusal;
type PrepareRefusal = ResolutionRefusal | ScratchRefusal | OwnerNeededRefusal;
type Prepared = Promise<Result<PreparedTree, PrepareRefusal>>;

/** The owner's own. Whoever else has saved a revision with everything settled can ask the owner to take it. */
export async function resolveChangeset(
  core: Core,
  request: ResolveRequest,
): Promise<OnceResult<Changeset, ResolveRefusal>> {
  const { changesetId, body } = request;
  const { resolutions, resolved_revision_id: revisionId } = body;
  if ((resolutions === undefined) === (revisionId === undefined)) {
    return refused({ reason: "resolution_malformed" });
  }
  return await resolve(core, {
    ...request,
    expectedRevisionId: body.expected_current_revision,
    evidence: body.validation_evidence,
    settled: revisionId === undefined ? { resolutions: resolutions ?? [] } : { revisionId },
    key: request.idempotencyKey,
    asked: { resolve: changesetId, ...body },
    alongside: null,
  });
}

type Settled = { readonly resolutions: readonly Resolution[] } | { readonly revisionId: string };

type Resolving = ChangesetRequest & {
  readonly expectedRevisionId: string;
  readonly evidence: Evidence;
  readonly settled: Settled;
  readonly key: string | null;
  readonly asked: unknown;
  readonly signal: AbortSignal;
  readonly alongside: Alongside | null;
};

export async function resolve(
  core: Core,
  resolving: Resolving,
): Promise<OnceResult<Changeset, ResolveRefusal>> {
  const { settled } = resolving;
  return await decideChangeset<PrepareRefusal>(core, resolving, async (target) =>
    "revisionId" in settled
      ? await byRevision(core, { ...resolving, ...settled }, target)
      : await byPaths(core, { ...resolving, ...settled }, target),
  );
}

/** Its files become the current ones, as they are: so it has to be made from the current revision. */
async function byRevision(
  core: Core,
  resolving: Resolving & { readonly revisionId: string },
  { workspace, changeset, current, theirs }: DecisionTarget,
): Prepared {
  const { caller, revisionId, signal, expectedRevisionId, evidence } = resolving;
  const { revisions } = core.store.committed;
  const revision = await revisions.find(revisionId);
  const isBehind =
    revision === null ||
    revision.workspaceId !== workspace.id ||
    revision.id === current.id ||
    !(await isAncestor(revisions, current, revision));
  if (isBehind) return refused({ reason: "resolution_behind", revisionId, current: current.id });
  if (!isWorkspaceOwner(caller)) {
    const { id: changesetId, title, files, additions, deletions } = changeset;
    const about = { workspaceId: workspace.id, changesetId, revisionId: theirs.id, title };
    const action = { kind: "accept_changeset", ...about, files, additions, deletions } as const;
    const asked = { ...action, expectedRevisionId, evidence, resolvedRevisionId: revisionId };
    return await askOwner(core, { workspace, caller, action: asked });
  }
  const parents = revision.id === theirs.id ? [theirs] : [theirs, revision];
  return ok(await prepareTree(core, { current, parents, treeOid: revision.treeOid, made: [], signal }));
}

async function byPaths(
  core: Core,
  resolving: Resolving & { readonly resolutions: readonly Resolution[] },
  { workspace, current, theirs }: DecisionTarget,
): Prepared {
  const { caller, resolutions, signal } = resolving;
  if (!isWorkspaceOwner(caller)) return refused(ownerNeeded(core, workspace.id));
  const compared = await compareRevisions(core, { current, theirs, signal });
  if (!compared.ok) return compared;
  const { merged } = compared.value;
  const changes = settle(merged, { current: current.id, resolutions });
  if (!changes.ok) return changes;
  const { states, blobs } = changes.value;
  const given = [...merged.made, ...blobs];
  const source = withMade(objectSource(core, workspace.id), given);
  const applied = await applyChanges(source, merged.treeOid, states);
  if (!applied.ok) {
    const { file, below } = applied.refusal;
    return refused({ reason: "resolution_clash", file, below });
  }
  const trees = applied.value.made.map(({ oid, data }) => ({ kind: "tree" as const, oid, data }));
  const { root: treeOid } = applied.value;
  return ok(
    await prepareTree(core, { current, parents: [theirs], treeOid, made: [...given, ...trees], signal }),
  );
}

/** A list of resolutions is not kept for an approval: a revision is. */
function ownerNeeded(core: Core, workspaceId: string): OwnerNeededRefusal {
  const what = "resolve a changeset path by path: save a revision with everything settled, and name that";
  return { reason: "owner_needed", what, url: workspaceUrl(core.policy, workspaceId) };
}

type SettledPaths = {
  readonly states: ReadonlyMap<string, FileState | null>;
  readonly blobs: readonly MadeObject[];
};

/** The resolution of each path in conflict. */
function settle(
  { conflicts }: TreesMerged,
  { current, resolutions }: { current: string; resolutions: readonly Resolution[] },
): Result<SettledPaths, ResolutionRefusal> {
  const byPath = new Map(resolutions.map((resolution) => [resolution.path, resolution]));
  const known = new Set(conflicts.map(({ path }) => path));
  const unknown = [...byPath.keys()].filter((path) => !known.has(path));
  if (unknown.length > 0)
    return refused({ reason: "resolution_unknown", paths: unknown.slice(0, MAX_NAMED_PATHS) });
  const open = conflicts.map(({ path }) => path).filter((path) => !byPath.has(path));
  if (open.length > 0) {
    return refused({ reason: "resolution_needed", current, paths: open.slice(0, MAX_NAMED_PATHS) });
  }
  const states = new Map<string, FileState | null>();
  const blobs: MadeObject[] = [];
  for (const conflict of conflicts) {
    const resolution = byPath.get(conflict.path);
    if (resolution === undefined) continue;
    if (resolution.take !== "content") {
      // Where it is only unclear to which folder files belong, they stay where the merge has them.
      if (isUnstaged(conflict)) continue;
      states.set(conflict.path, stateOf(conflict[resolution.take]));
      continue;
    }
    const data = Buffer.from(resolution.content);
    const oid = oidOf({ kind: "blob", data });
    blobs.push({ kind: "blob", oid, data });
    states.set(conflict.path, { oid, mode: textMode(conflict) });
  }
  return ok({ states, blobs });
}

function isUnstaged({ base, ours, theirs }: MergeConflict): boolean {
  return base === null && ours === null && theirs === null;
}

const fileModes: ReadonlyMap<string, FileMode> = new Map(
  (["100644", "100755", "120000", "160000"] as const).map((mode) => [mode, mode]),
);

function stateOf(side: MergeSide | null): FileState | null {
  const mode = side === null ? undefined : fileModes.get(side.mode);
  return side === null || mode === undefined ? null : { oid: side.oid, mode };
}

/** Text is a file: executable where it was. */
function textMode({ ours, theirs }: MergeConflict): FileMode {
  return (ours ?? theirs)?.mode === "100755" ? "100755" : "100644";
}
