// Refusals to find or decide an approval, and their problems. Pure.

import type { ApprovalStatus } from "../../../contract/approvals/approval.ts";
import { conflict, forbidden, notFound, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

const states = {
  pending: "pending",
  approved: "approved already",
  denied: "denied already",
  expired: "over: its time has passed",
  resolved_elsewhere: "over: it was done, or became pointless, another way",
} as const;

export const approvalProblems = {
  approval_not_found: ({ approvalId }: { approvalId: string }) =>
    notFound(`There is no approval ${approvalId}.`),
  approval_of_another: ({ approvalId }: { approvalId: string }) =>
    forbidden(`Approval ${approvalId} is not of this credential's account.`),
  approval_decided: ({ approvalId, status }: { approvalId: string; status: ApprovalStatus }) =>
    conflict("approval_decided", `Approval ${approvalId} is ${states[status]}.`),
} satisfies ProblemTable;

export type ApprovalRefusal = RefusalOf<typeof approvalProblems>;
