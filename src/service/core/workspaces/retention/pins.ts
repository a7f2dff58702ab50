// …/retention/pins: pins, which keep revisions from being deleted.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { CreatePinRequest } from "../../../../contract/workspaces/retention/retention.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyMissingRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { reachForWork, reachWorkspace, shareForWork, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { RevisionRefusal } from "../revisions/refusals.ts";
import type { PinRefusal } from "./refusals.ts";
import type { Pin } from "./retention.ts";

type CreateRefusal = WorkspaceRefusal | WorkRefusal | RevisionRefusal | PinRefusal;

export async function createPin(
  core: Core,
  request: WorkspaceRequest & { readonly body: CreatePinRequest; readonly idempotencyKey: string | null },
): Promise<OnceResult<Pin, CreateRefusal | KeyMissingRefusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const { caller, workspaceId, body, idempotencyKey: key } = request;
  if (key === null) return refused({ reason: "key_missing", what: "pin a revision" });
  const reached = await reachForWork(core, request);
  if (!reached.ok) return reached;
  const { revision_id: revisionId, reason } = body;
  const until = body.until === undefined ? null : Date.parse(body.until);
  const { accountId } = caller;
  const keyed = { scope: `pins ${workspaceId}`, accountId, key, request: { revisionId, reason, until } };
  const made = await onceByKey<CreateRefusal>(core, keyed, async (tx) => {
    const now = core.clock.now();
    if (until !== null && until <= now) return refused({ reason: "pin_time_passed", until, now });
    const shared = await shareForWork(core, tx, request);
    if (!shared.ok) return shared;
    const revision = await tx.revisions.share(revisionId);
    if (revision === null || revision.workspaceId !== workspaceId) {
      return refused({ reason: "revision_not_found", revisionId });
    }
    const id = core.random.uuid(now);
    await tx.retention.insertPin({ id, workspaceId, revisionId, reason, until, createdAt: now });
    return ok(id);
  });
  if (!made.ok) return made;
  const pin = await core.store.committed.retention.findPin(made.value.subjectId);
  return pin === null
    ? refused({ reason: "pin_not_found", pinId: made.value.subjectId })
    : onceResult(ok(pin), made.value);
}

/** The pin as it was. */
export async function deletePin(
  core: Core,
  request: WorkspaceRequest & { readonly pinId: string },
): Promise<Result<Pin, WorkspaceRefusal | PinRefusal>> {
  const { workspaceId, pinId } = request;
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  return await core.store.transact(async (tx) => {
    const pin = await tx.retention.findPin(pinId);
    const deleted = pin?.workspaceId === workspaceId ? await tx.retention.deletePin(pinId) : null;
    return deleted === null ? refused({ reason: "pin_not_found", pinId }) : ok(deleted);
  });
}
