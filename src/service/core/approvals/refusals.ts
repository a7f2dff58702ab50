// Why an approval is not found or decided. Pure.

import type { ApprovalStatus } from "../../../contract/approvals/approval.ts";

export type ApprovalRefusal =
  | { readonly reason: "approval_not_found"; readonly approvalId: string }
  | { readonly reason: "approval_of_another"; readonly approvalId: string }
  | { readonly reason: "approval_decided"; readonly approvalId: string; readonly status: ApprovalStatus };
