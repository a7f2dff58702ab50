// git push to copies of a workspace: each branch is judged before the pack is read, and once more in the transaction that moves its
// copy.
// Why: docs/decisions/182-workspaces-are-git-servers.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { GitRef, ReceivedPush, ServeRefusal } from "../../checkouts/git-service.ts";
import type { PackRefusal } from "../../commits/pack-receiver.ts";
import type { Core } from "../../core.ts";
import type { OverloadRefusal } from "../../limits/refusals.ts";
import { reachForWrite } from "../files/reach-files.ts";
import { ObjectBatch } from "../objects/object-batch.ts";
import { filesFault, keepingOf, reachForWork, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Workspace } from "../workspace.ts";
import { type LandRefusal, landMove, type PreparedMove, prepareMove } from "./land-push.ts";
import { copyOfRef, MAIN_REF, readRefs } from "./refs.ts";
import type { PushRefusal } from "./refusals.ts";
import { servedRepository } from "./serve-fetch.ts";

/** A ref, what its pusher has seen there, and what they want there. Null: nothing. */
export type RefCommand = { readonly ref: string; readonly from: string | null; readonly to: string | null };

type PushToWorkspace = WorkspaceRequest & {
  readonly commands: readonly RefCommand[];
  /** All or none. */
  readonly isAtomic: boolean;
  /** Null where nothing is sent. It is not read where every command is refused. */
  readonly pack: AsyncIterable<Uint8Array> | null;
  readonly signal: AbortSignal;
};

export type PushFault = LandRefusal | ServeRefusal | OverloadRefusal;

export type PushedRef = { readonly ref: string } & (
  | { readonly ok: true; readonly copyId: string; readonly revisionId: string }
  | { readonly ok: false; readonly refusal: PushFault }
);

type Judged = { readonly command: RefCommand; readonly copyId: string; readonly tip: string };
type Verdict = { readonly judged: Judged; readonly refusal: null } | { readonly refusal: PushFault };

/** What there is to push to. */
export async function openPush(
  core: Core,
  request: WorkspaceRequest,
): Promise<Result<readonly GitRef[], WorkspaceRefusal | WorkRefusal>> {
  const reached = await reachToPush(core, request);
  return reached.ok ? ok(await readRefs(core, reached.value)) : reached;
}

/** Pushing makes revisions, and reads and writes files. */
async function reachToPush(
  core: Core,
  { caller, workspaceId }: WorkspaceRequest,
): Promise<Result<Workspace, WorkspaceRefusal | WorkRefusal>> {
  const closed = filesFault(core);
  const reached = await reachForWork(core, { caller, workspaceId });
  return reached.ok && closed !== null ? refused(closed) : reached;
}

/** One answer for each command, in their order. Nothing of a push that is refused moves. */
export async function takePush(
  core: Core,
  push: PushToWorkspace,
): Promise<Result<readonly PushedRef[], WorkspaceRefusal | WorkRefusal>> {
  const { commands } = push;
  const reached = await reachToPush(core, push);
  if (!reached.ok) return reached;
  const verdicts = await judgeAll(core, push);
  const judged = verdicts.flatMap((verdict) => (verdict.refusal === null ? [verdict.judged] : []));
  const isRefused = judged.length === 0 || (push.isAtomic && judged.length < commands.length);
  const landed = isRefused ? new Map<string, PushedRef>() : await receive(core, push, judged);
  return ok(
    commands.map(({ ref }, at): PushedRef => {
      const refusal = verdicts[at]?.refusal ?? { reason: "push_not_atomic" };
      return landed.get(ref) ?? { ref, ok: false, refusal };
    }),
  );
}

async function judgeAll(core: Core, push: PushToWorkspace): Promise<readonly Verdict[]> {
  const { commands } = push;
  const verdicts: Verdict[] = [];
  for (const command of commands) {
    const isRepeated = commands.some((other) => other !== command && other.ref === command.ref);
    const fault: PushRefusal | null = isRepeated
      ? { reason: "push_repeats_ref" }
      : refFault(command, push.workspaceId);
    const copyId = copyOfRef(command.ref);
    if (fault !== null || copyId === null || command.to === null) {
      verdicts.push({ refusal: fault ?? { reason: "push_to_other_ref", workspaceId: push.workspaceId } });
      continue;
    }
    const refusal = await copyFault(core, push, { command, copyId });
    verdicts.push(refusal ?? { refusal: null, judged: { command, copyId, tip: command.to } });
  }
  return verdicts;
}

function refFault({ ref, to }: RefCommand, workspaceId: string): PushRefusal | null {
  if (ref === MAIN_REF) return { reason: "push_to_main", workspaceId };
  const copyId = copyOfRef(ref);
  if (copyId === null) return { reason: "push_to_other_ref", workspaceId };
  return to === null ? { reason: "push_deletes", workspaceId, copyId } : null;
}

/** What can be known before the pack is read. */
async function copyFault(
  core: Core,
  { caller, workspaceId }: WorkspaceRequest,
  { command, copyId }: { command: RefCommand; copyId: string },
): Promise<{ readonly refusal: PushFault } | null> {
  const reached = await reachForWrite(core, { caller, workspaceId, place: { kind: "copy", copyId } });
  if (!reached.ok) return { refusal: reached.refusal };
  if (reached.value.isCanonical) return { refusal: { reason: "push_to_main", workspaceId } };
  const base = await core.store.committed.revisions.find(reached.value.baseRevisionId);
  // A push that arrives once more finds its commit there.
  const isThere = base?.commitOid === command.to;
  if (!isThere && base?.commitOid !== command.from) return { refusal: { reason: "push_stale", copyId } };
  const unsaved = await core.store.committed.copyEntries.list({
    copyId,
    from: null,
    before: null,
    limit: 1,
  });
  return unsaved.length > 0 ? { refusal: { reason: "push_unsaved", workspaceId, copyId } } : null;
}

/** By their refs. */
async function receive(
  core: Core,
  push: PushToWorkspace,
  judged: readonly Judged[],
): Promise<ReadonlyMap<string, PushedRef>> {
  const { caller, workspaceId, pack, signal } = push;
  const workspace = await core.store.committed.workspaces.find(workspaceId);
  if (workspace === null) return refusedAll(judged, { reason: "workspace_not_found", workspaceId });
  const repository = await servedRepository(core, workspace);
  const findRevisions = async (commitOids: readonly string[]) => {
    const found = await core.store.committed.revisions.findByCommits({ workspaceId, commitOids });
    return new Set(found.map(({ commitOid }) => commitOid));
  };
  const tips = judged.map(({ tip }) => tip);
  const received = await keepingOf(core).git.receive(
    { repository, tips, pack, findRevisions },
    async (arrived) => {
      const fault = await storeObjects(core, { workspaceId, arrived, signal });
      if (fault !== null) return refusedAll(judged, fault);
      const moves = new Map<Judged, Result<PreparedMove, PushFault>>();
      for (const one of judged) moves.set(one, await prepare(core, { caller, workspaceId }, one, arrived));
      return await land(core, push, moves);
    },
    signal,
  );
  return received.ok ? received.value : refusedAll(judged, faultOf(received.refusal));
}

function faultOf(refusal: PackRefusal | ServeRefusal): PushFault {
  if (refusal.reason === "overloaded" || refusal.reason === "served_too_large") return refusal;
  return { reason: "push_refused", detail: refusal.detail };
}

async function storeObjects(
  core: Core,
  { workspaceId, arrived, signal }: { workspaceId: string; arrived: ReceivedPush; signal: AbortSignal },
): Promise<PushFault | null> {
  const batch = new ObjectBatch(core, { workspaceId });
  try {
    for await (const object of arrived.objects()) {
      signal.throwIfAborted();
      const fault = await batch.add(object);
      if (fault?.reason === "object_unusable")
        return { reason: "push_refused", detail: `The push ${fault.why}` };
      if (fault !== null) return fault;
    }
    await batch.flush();
    return null;
  } finally {
    await batch.release();
  }
}

async function prepare(
  core: Core,
  request: WorkspaceRequest,
  { command, copyId, tip }: Judged,
  arrived: ReceivedPush,
): Promise<Result<PreparedMove, PushFault>> {
  const copy = await core.store.committed.copies.find(copyId);
  if (copy === null) return refused({ reason: "copy_not_found", copyId });
  const base = await core.store.committed.revisions.find(copy.baseRevisionId);
  const history = arrived.histories.find((one) => one.tip === tip);
  const isSeen = base?.commitOid === command.from || base?.commitOid === tip;
  if (base === null || history === undefined || !isSeen) return refused({ reason: "push_stale", copyId });
  return await prepareMove(core, { ...request, copy, base }, history);
}

/** A refusal that undoes an atomic push. */
class UndoneError extends Error {
  readonly ref: string;
  readonly refusal: PushFault;

  constructor(ref: string, refusal: PushFault) {
    super("A branch of an atomic push was refused.");
    this.ref = ref;
    this.refusal = refusal;
  }
}

async function land(
  core: Core,
  push: PushToWorkspace,
  moves: ReadonlyMap<Judged, Result<PreparedMove, PushFault>>,
): Promise<ReadonlyMap<string, PushedRef>> {
  const landed = new Map<string, PushedRef>();
  const refuse = ({ command: { ref } }: Judged, refusal: PushFault) =>
    landed.set(ref, { ref, ok: false, refusal });
  const keep = ({ command: { ref }, copyId }: Judged, { revision }: PreparedMove) =>
    landed.set(ref, { ref, ok: true, copyId, revisionId: revision.id });
  // Everybody in one order, so that nobody waits in a circle.
  const sorted = [...moves].sort(([one], [other]) => (one.copyId < other.copyId ? -1 : 1));
  const ready: (readonly [Judged, PreparedMove])[] = [];
  for (const [judged, move] of sorted) {
    if (move.ok) ready.push([judged, move.value]);
    else refuse(judged, move.refusal);
  }
  if (!push.isAtomic) {
    for (const [judged, move] of ready) {
      const kept = await core.store.transact((tx) => landMove(core, tx, push, move));
      if (kept.ok) keep(judged, move);
      else refuse(judged, kept.refusal);
    }
  } else if (ready.length === sorted.length) {
    try {
      await core.store.transact(async (tx) => {
        for (const [{ command }, move] of ready) {
          const kept = await landMove(core, tx, push, move);
          if (!kept.ok) throw new UndoneError(command.ref, kept.refusal);
        }
      });
      for (const [judged, move] of ready) keep(judged, move);
    } catch (cause) {
      if (!(cause instanceof UndoneError)) throw cause;
      const { ref, refusal } = cause;
      landed.set(ref, { ref, ok: false, refusal });
    }
  }
  core.signals.publish(push.workspaceId);
  // What an atomic push has left is said to be that.
  for (const [judged] of sorted) {
    if (!landed.has(judged.command.ref)) refuse(judged, { reason: "push_not_atomic" });
  }
  return landed;
}

function refusedAll(judged: readonly Judged[], refusal: PushFault): ReadonlyMap<string, PushedRef> {
  return new Map(judged.map(({ command: { ref } }) => [ref, { ref, ok: false, refusal }]));
}
