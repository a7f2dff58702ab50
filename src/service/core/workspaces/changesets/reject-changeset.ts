// POST …/changesets/{changesetID}/reject. Stays possible where no new work is taken.

import { ok, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type { RejectChangesetRequest } from "../../../../contract/workspaces/changesets/changeset.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { reachWorkspace } from "../reach-workspace.ts";
import type { WorkspaceRefusal } from "../refusals.ts";
import { actorOf } from "../workspace-caller.ts";
import { resolveReviews } from "./ask-owner.ts";
import { type Changeset, isUndecided } from "./changeset.ts";
import { type ChangesetRequest, reachChangeset } from "./reach-changeset.ts";
import type { ChangesetDecidedRefusal, ChangesetRefusal } from "./refusals.ts";

type RejectRequest = ChangesetRequest & {
  readonly body: Unkeyed<RejectChangesetRequest>;
  readonly idempotencyKey: string | null;
};
type Refusal = WorkspaceRefusal | ChangesetRefusal | ChangesetDecidedRefusal;

export async function rejectChangeset(
  core: Core,
  request: RejectRequest,
): Promise<OnceResult<Changeset, Refusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const { caller, workspaceId, changesetId, body } = request;
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  const rejectReason = body.reason ?? null;
  const rejected = await onceByKey<Refusal>(
    core,
    {
      scope: `changesets ${workspaceId}`,
      accountId: caller.accountId,
      key: request.idempotencyKey,
      request: { reject: changesetId, reason: rejectReason },
    },
    async (tx) => {
      const found = await reachChangeset(core, request, { find: (id) => tx.changesets.lock(id) });
      if (!found.ok) return found;
      const { status } = found.value;
      if (!isUndecided(found.value)) return refused({ reason: "changeset_decided", changesetId, status });
      const now = core.clock.now();
      await tx.changesets.update(changesetId, {
        ...found.value,
        status: "rejected",
        rejectReason,
        decidedAt: now,
        decidedBy: actorOf(caller),
      });
      await resolveReviews(core, tx, { workspace: workspace.value, changesetId });
      const moves = [{ what: "changeset", id: changesetId, state: "rejected" }] as const;
      await tx.workspaceEvents.append({ workspaceId, moves, now });
      return ok(changesetId);
    },
  );
  if (!rejected.ok) return rejected;
  core.signals.publish(workspaceId);
  return onceResult(await reachChangeset(core, request), rejected.value);
}
