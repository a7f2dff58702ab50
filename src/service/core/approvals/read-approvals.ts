// GET /v1/approvals and GET /v1/approvals/{approvalID}: what waits for an account's owner, and what was decided.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { ApprovalStatus } from "../../../contract/approvals/approval.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import type { ApprovalRecord } from "./approval.ts";
import type { ApprovalRefusal } from "./refusals.ts";

type ApprovalPage = {
  readonly approvals: readonly ApprovalRecord[];
  /** The value of `before` for the next page; null on the last page. */
  readonly next: string | null;
};

type ApprovalListing = {
  readonly caller: AccountCaller;
  readonly agentId: string | null;
  readonly status: ApprovalStatus | null;
  readonly before: string | null;
  readonly limit: number;
};

/** The account's approvals, newest first. */
export async function listApprovals(core: Core, listing: ApprovalListing): Promise<ApprovalPage> {
  const { caller, limit, ...filter } = listing;
  const found = await core.store.committed.approvals.list({
    ...filter,
    accountId: caller.accountId,
    now: core.clock.now(),
    limit: limit + 1,
  });
  const approvals = found.slice(0, limit);
  return { approvals, next: found.length > limit ? (approvals.at(-1)?.id ?? null) : null };
}

export async function findApproval(
  core: Core,
  { caller, approvalId }: { caller: AccountCaller; approvalId: string },
): Promise<Result<ApprovalRecord, ApprovalRefusal>> {
  const approval = await core.store.committed.approvals.find(approvalId);
  if (approval === null) return refused({ reason: "approval_not_found", approvalId });
  if (approval.accountId !== caller.accountId) return refused({ reason: "approval_of_another", approvalId });
  return ok(approval);
}
