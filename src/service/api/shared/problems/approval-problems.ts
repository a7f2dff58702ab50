// What a caller is told of an approval and of a question. Pure.

import type { ApprovalRefusal } from "../../../core/approvals/refusals.ts";
import type { QuestionRefusal } from "../../../core/questions/refusals.ts";
import { forbidden, notFound, type ProblemsOf } from "./public-problem.ts";

const states = {
  pending: "pending",
  approved: "approved already",
  denied: "denied already",
  expired: "over: its time has passed",
  resolved_elsewhere: "over: it was done, or became pointless, another way",
} as const;

export const approvalProblems: ProblemsOf<ApprovalRefusal | QuestionRefusal> = {
  approval_not_found: ({ approvalId }) => notFound(`There is no approval ${approvalId}.`),
  approval_of_another: ({ approvalId }) =>
    forbidden(`Approval ${approvalId} is not of this credential's account.`),
  approval_decided: ({ approvalId, status }) => ({
    status: 409,
    code: "approval_decided",
    message: `Approval ${approvalId} is ${states[status]}.`,
  }),
  question_not_found: ({ runId }) => notFound(`Run ${runId} did not end with a question.`),
  question_answered: ({ runId }) => ({
    status: 409,
    code: "question_answered",
    message: `The question of run ${runId} is answered: its session has gone on. Submit a run with its session_id to say more.`,
  }),
};
