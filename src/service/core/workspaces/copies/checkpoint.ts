// POST …/checkpoints: saves a copy, or the canonical files, as a revision.

import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type { CheckpointRequest } from "../../../../contract/workspaces/copies/copy.ts";
import { actorSchema } from "../../../../contract/workspaces/record.ts";
import type { OwnerNeededRefusal } from "../../accounts/refusals.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { type Operation, type OperationEnd, queuedOperation } from "../operations/operation.ts";
import type { OperationAtWork } from "../operations/operation-at-work.ts";
import { afterMoment } from "../operations/read-operation.ts";
import { type OperationWork, startOperation } from "../operations/run-operation.ts";
import { keepingOf, reachForWork, shareForWork, type WorkspaceRequest } from "../reach-workspace.ts";
import type { CopyHeldRefusal, CopyRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import { actorOf, isWorkspaceOwner, type WorkspaceCaller } from "../workspace-caller.ts";
import { workspaceUrl } from "../workspace-url.ts";
import { type Copy, holderOf } from "./copy.ts";
import { keepSave, prepareSave } from "./save-copy.ts";

const DEFAULT_MESSAGE = "Checkpoint";
/** Moves of the base that a checkpoint survives. */
const MAX_TRIES = 20;

const inputSchema = z.object({
  working_copy_id: z.uuid(),
  message: z.string(),
  author: actorSchema,
  run_id: z.nullable(z.string()),
});

type NewCheckpoint = WorkspaceRequest & {
  readonly body: Unkeyed<CheckpointRequest>;
  readonly idempotencyKey: string | null;
};
type Refusal = WorkspaceRefusal | WorkRefusal | CopyRefusal | CopyHeldRefusal | OwnerNeededRefusal;

export async function requestCheckpoint(
  core: Core,
  request: NewCheckpoint,
): Promise<OnceResult<Operation, Refusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const { caller, workspaceId, body } = request;
  const reached = await reachForWork(core, request);
  if (!reached.ok) return reached;
  const copyId = body.working_copy_id ?? reached.value.canonicalCopyId;
  const message = body.message === undefined || body.message === "" ? DEFAULT_MESSAGE : body.message;
  let queued: Operation | null = null;
  const made = await onceByKey<Refusal>(
    core,
    {
      scope: `copies ${workspaceId}`,
      accountId: caller.accountId,
      key: request.idempotencyKey,
      request: { checkpoint: copyId, message },
    },
    async (tx) => {
      const shared = await shareForWork(core, tx, request);
      if (!shared.ok) return shared;
      const copy = await savableCopy(core, tx, { ...request, copyId });
      if (!copy.ok) return copy;
      const now = core.clock.now();
      const input = {
        working_copy_id: copyId,
        message,
        author: actorOf(caller),
        run_id: caller.kind === "member_run" ? caller.runId : null,
      };
      queued = queuedOperation({
        id: core.random.uuid(now),
        workspaceId,
        accountId: caller.accountId,
        now,
        kind: "checkpoint",
        input,
      });
      await tx.operations.insert(queued);
      return ok(queued.id);
    },
  );
  if (!made.ok) return made;
  if (!made.value.isReplay && queued !== null) startOperation(core, queued, checkpointing);
  return onceResult(ok(await afterMoment(core, made.value.subjectId)), made.value);
}

/** Only the owner saves canonical files, and only its run a copy that is held. */
async function savableCopy(
  { policy }: Core,
  tx: StoreTransaction,
  { caller, workspaceId, copyId }: { caller: WorkspaceCaller; workspaceId: string; copyId: string },
): Promise<Result<Copy, Refusal>> {
  const copy = await tx.copies.share(copyId);
  if (copy === null || copy.workspaceId !== workspaceId || copy.state === "deleting") {
    return refused({ reason: "copy_not_found", copyId });
  }
  if (copy.isCanonical && !isWorkspaceOwner(caller)) {
    const what = "save canonical files as a revision: make a changeset of a copy instead";
    return refused({ reason: "owner_needed", what, url: workspaceUrl(policy, workspaceId) });
  }
  const holder = holderOf(copy);
  const isHolder = caller.kind === "member_run" && holder?.runId === caller.runId;
  return holder === null || isHolder
    ? ok(copy)
    : refused({ reason: "copy_held", copyId, runId: holder.runId });
}

export const checkpointing: OperationWork = { run: checkpoint, giveUp: async () => {} };

async function checkpoint(core: Core, atWork: OperationAtWork): Promise<void> {
  const { operation, signal } = atWork;
  const input = inputSchema.parse(operation.input);
  const { describe } = keepingOf(core);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    signal.throwIfAborted();
    const copy = await core.store.committed.copies.find(input.working_copy_id);
    if (copy === null) {
      const error = describe({ reason: "copy_not_found", copyId: input.working_copy_id });
      return await atWork.end(async () => ({ status: "failed", error }));
    }
    const prepared = await prepareSave(core, copy);
    const { message, author, run_id: holderRunId } = input;
    const isEnded = await atWork.endUnless(async (tx): Promise<OperationEnd | null> => {
      const saved = await keepSave(core, tx, { prepared, message, author, holderRunId });
      if (saved.ok) return { status: "succeeded", result: saved.value };
      const { refusal } = saved;
      return refusal.reason === "copy_moved" ? null : { status: "failed", error: describe(refusal) };
    });
    if (isEnded) return;
  }
  throw new Error(`Copy ${input.working_copy_id} moved ${MAX_TRIES} times while it was saved.`);
}
