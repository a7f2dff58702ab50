import type { ProblemsOf, PublicProblem } from "../ports/problem.ts";

/** The first three mean that the link cannot be used by its holder. */
export type ClaimRefusal =
  | { readonly reason: "claim_unknown" | "claim_ended" | "claim_used" }
  | { readonly reason: "claimed_by_another"; readonly repository: string };

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
