// GET …/review-actions/{actionID}: what waits for the owner about a changeset. It is an approval, and decided as one.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { ApprovalRecord } from "../../approvals/approval.ts";
import type { Core } from "../../core.ts";
import { reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkspaceRefusal } from "../refusals.ts";
import type { ReviewActionRefusal } from "./refusals.ts";
import type { ReviewAction } from "./reviews.ts";

export type ReviewApproval = { readonly approval: ApprovalRecord; readonly action: ReviewAction };

export async function readReviewAction(
  core: Core,
  request: WorkspaceRequest & { readonly actionId: string },
): Promise<Result<ReviewApproval, WorkspaceRefusal | ReviewActionRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { actionId, workspaceId } = request;
  const approval = await core.store.committed.approvals.find(actionId);
  const action = approval?.action;
  const isHere =
    approval !== null &&
    action?.kind === "accept_changeset" &&
    action.workspaceId === workspaceId &&
    approval.accountId === reached.value.accountId;
  return isHere ? ok({ approval, action }) : refused({ reason: "review_action_not_found", actionId });
}
