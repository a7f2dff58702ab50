// The request of an AI client or a run to the owner: that this very changeset becomes part of this very revision.

import { refused } from "../../../../base/result.ts";
import type { OwnerNeededRefusal } from "../../accounts/refusals.ts";
import type { ApprovalRequester } from "../../approvals/approval.ts";
import { approveUrl } from "../../approvals/approve-url.ts";
import { requestApproval, requesterOf } from "../../approvals/request-approval.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Workspace } from "../workspace.ts";
import type { WorkspaceCaller } from "../workspace-caller.ts";
import { workspaceUrl } from "../workspace-url.ts";
import type { ReviewAction } from "./reviews.ts";

/** Refuses, and puts it before the owner: with the approval's page, where one could be made. */
export async function askOwner(
  core: Core,
  ask: { workspace: Workspace; caller: WorkspaceCaller; action: ReviewAction },
): Promise<{ readonly ok: false; readonly refusal: OwnerNeededRefusal }> {
  const { workspace, caller, action } = ask;
  const agent = { id: workspace.managerAgentId, accountId: workspace.accountId };
  const approval = await core.store.transact(async (tx) => {
    await resolveReviews(core, tx, { workspace, changesetId: action.changesetId, but: action });
    return await requestApproval(core, tx, { agent, action, requestedBy: requester(caller) });
  });
  const url = workspaceUrl(core.policy, workspace.id);
  const link = approval === null ? {} : { approveUrl: approveUrl(core.policy, approval.id) };
  return refused({ reason: "owner_needed", what: "accept a changeset", url, ...link });
}

function requester(caller: WorkspaceCaller): ApprovalRequester {
  return caller.kind === "member_run" ? { type: "run", runId: caller.runId } : requesterOf(caller);
}

/** Ends what waits for the owner about a changeset: it was decided, or something else is asked about it now. */
export async function resolveReviews(
  core: Pick<Core, "clock">,
  tx: StoreTransaction,
  about: { workspace: Pick<Workspace, "managerAgentId">; changesetId: string; but?: ReviewAction },
): Promise<void> {
  const { workspace, changesetId, but } = about;
  const decidedAt = core.clock.now();
  const end = { status: "resolved_elsewhere", decidedAt, decidedBy: "service", runId: null } as const;
  for (const { id, action } of await tx.approvals.listPendingOf(workspace.managerAgentId)) {
    if (action.kind !== "accept_changeset" || action.changesetId !== changesetId) continue;
    if (but !== undefined && isSameAsk(action, but)) continue;
    await tx.approvals.end(id, end);
  }
}

function isSameAsk(one: ReviewAction, other: ReviewAction): boolean {
  return (
    one.expectedRevisionId === other.expectedRevisionId &&
    one.resolvedRevisionId === other.resolvedRevisionId &&
    JSON.stringify(one.evidence) === JSON.stringify(other.evidence)
  );
}
