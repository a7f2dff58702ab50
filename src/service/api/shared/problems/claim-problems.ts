// What a caller is told of a claim link. Pure.

import type { ClaimRefusal } from "../../../core/claims/refusals.ts";
import type { ProblemsOf, PublicProblem } from "./public-problem.ts";

export const claimProblems: ProblemsOf<ClaimRefusal> = {
  claim_unknown: (refusal) =>
    uselessClaim(
      refusal,
      "There is no such claim link, or it has ended. The next job that needs a billing account prints one.",
    ),
  claim_ended: (refusal) =>
    uselessClaim(
      refusal,
      "The claim link has ended. The next job that needs a billing account prints a new one.",
    ),
  claim_used: (refusal) =>
    uselessClaim(
      refusal,
      "Another account used this claim link. The next job that needs a billing account prints a new one.",
    ),
  claimed_by_another: ({ repository }) => ({
    status: 409,
    code: "already_claimed",
    message: `The agent of ${repository} belongs to another account already.`,
  }),
};

function uselessClaim({ reason }: { reason: string }, message: string): PublicProblem {
  return { status: 404, code: "not_found", message, fields: { reason } };
}
