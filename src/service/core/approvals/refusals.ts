// Why an approval is not found or decided, and what its caller is told. Pure.

import type { ApprovalStatus } from "../../../contract/approvals/approval.ts";
import { forbidden, notFound, type ProblemsOf } from "../ports/problem.ts";

export type ApprovalRefusal =
  | { readonly reason: "approval_not_found"; readonly approvalId: string }
  | { readonly reason: "approval_of_another"; readonly approvalId: string }
  | { readonly reason: "approval_decided"; readonly approvalId: string; readonly status: ApprovalStatus };

const states = {
  pending: "pending",
  approved: "approved already",
  denied: "denied already",
  expired: "over: its time has passed",
  resolved_elsewhere: "over: it was done, or became pointless, another way",
} as const;

export const approvalProblems: ProblemsOf<ApprovalRefusal> = {
  approval_not_found: ({ approvalId }) => notFound(`There is no approval ${approvalId}.`),
  approval_of_another: ({ approvalId }) =>
    forbidden(`Approval ${approvalId} is not of this credential's account.`),
  approval_decided: ({ approvalId, status }) => ({
    status: 409,
    code: "approval_decided",
    message: `Approval ${approvalId} is ${states[status]}.`,
  }),
};
