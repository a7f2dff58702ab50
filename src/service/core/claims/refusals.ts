import { conflict, type ProblemTable, type PublicProblem, type RefusalOf } from "../ports/problem.ts";

export const claimProblems = {
  claim_unknown: () =>
    uselessClaim(
      "claim_unknown",
      "There is no such claim link, or it has ended. The next job that needs a billing account prints one.",
    ),
  claim_ended: () =>
    uselessClaim(
      "claim_ended",
      "The claim link has ended. The next job that needs a billing account prints a new one.",
    ),
  claim_used: () =>
    uselessClaim(
      "claim_used",
      "Another account used this claim link. The next job that needs a billing account prints a new one.",
    ),
  claimed_by_another: ({ repository }: { repository: string }) =>
    conflict("already_claimed", `The agent of ${repository} belongs to another account already.`),
} satisfies ProblemTable;

/** The first three mean that the link cannot be used by its holder. */
export type ClaimRefusal = RefusalOf<typeof claimProblems>;

function uselessClaim(reason: string, message: string): PublicProblem {
  return { status: 404, code: "not_found", message, fields: { reason } };
}
