// POST …/copies: a working copy of a revision, in the time that it takes to write two rows.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type { CreateCopyRequest } from "../../../../contract/workspaces/copies/copy.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { doneOperation, type Operation } from "../operations/operation.ts";
import { afterMoment } from "../operations/read-operation.ts";
import { reachForWork, shareForWork, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { RevisionRefusal } from "../revisions/refusals.ts";
import { actorOf } from "../workspace-caller.ts";
import type { Copy } from "./copy.ts";

type NewCopyRequest = WorkspaceRequest & {
  readonly body: Unkeyed<CreateCopyRequest>;
  readonly idempotencyKey: string | null;
};
type Refusal = WorkspaceRefusal | WorkRefusal | RevisionRefusal;

/** The operation has ended when it is answered. */
export async function createCopy(
  core: Core,
  request: NewCopyRequest,
): Promise<OnceResult<Operation, Refusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const { caller, workspaceId, body } = request;
  const reached = await reachForWork(core, request);
  if (!reached.ok) return reached;
  const made = await onceByKey<Refusal>(
    core,
    {
      scope: `copies ${workspaceId}`,
      accountId: caller.accountId,
      key: request.idempotencyKey,
      request: { create: body.base_revision_id ?? null },
    },
    async (tx) => {
      const copy = await insertCopy(core, tx, { ...request, baseRevisionId: body.base_revision_id ?? null });
      if (!copy.ok) return copy;
      const now = core.clock.now();
      const { id: copyId } = copy.value;
      const operation = doneOperation(
        {
          id: core.random.uuid(now),
          workspaceId,
          accountId: caller.accountId,
          now,
          kind: "create_copy",
          input: { working_copy_id: copyId },
        },
        { copyId },
      );
      await tx.operations.insert(operation);
      const moves = [{ what: "copy", id: copyId, state: "ready" }] as const;
      await tx.workspaceEvents.append({ workspaceId, moves, now });
      return ok(operation.id);
    },
  );
  if (!made.ok) return made;
  core.signals.publish(workspaceId);
  return onceResult(ok(await afterMoment(core, made.value.subjectId)), made.value);
}

/** A copy of a revision of the workspace; null: of its current one. */
export async function insertCopy(
  core: Core,
  tx: StoreTransaction,
  request: WorkspaceRequest & { readonly baseRevisionId: string | null; readonly id?: string },
): Promise<Result<Copy, Refusal>> {
  const { caller, workspaceId, baseRevisionId } = request;
  const shared = await shareForWork(core, tx, request);
  if (!shared.ok) return shared;
  const revisionId = baseRevisionId ?? shared.value.currentRevisionId;
  const base = await tx.revisions.share(revisionId);
  if (base === null || base.workspaceId !== workspaceId) {
    return refused({ reason: "revision_not_found", revisionId });
  }
  const now = core.clock.now();
  const copy: Copy = {
    id: request.id ?? core.random.uuid(now),
    workspaceId,
    isCanonical: false,
    state: "ready",
    hold: null,
    baseRevisionId: base.id,
    baseTreeOid: base.treeOid,
    savedRevisionId: null,
    createdBy: actorOf(caller),
    createdAt: now,
  };
  await tx.copies.insert(copy);
  return ok(copy);
}
