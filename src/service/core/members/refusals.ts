// Refusals of changes in who is in an account. Pure.

import { conflict, forbidden, notFound, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

export const accountMemberProblems = {
  person_not_found: ({ personId }: { personId: string }) =>
    notFound(`There is no person ${personId} in this account.`),
  invitation_not_found: () =>
    notFound("There is no such invitation, or it was accepted, withdrawn or has ended."),
  rank_exceeded: () =>
    forbidden("An admin invites, changes and removes members and viewers only. An owner does everything."),
  take_over_refused: () => forbidden("Only another owner of the account takes keys over."),
  last_owner: () =>
    conflict("last_owner", "The account would have no owner left. Make somebody else an owner first."),
  already_member: () => conflict("already_member", "You are a member of this account already."),
} satisfies ProblemTable;

export type AccountMemberRefusal<
  Reason extends keyof typeof accountMemberProblems = keyof typeof accountMemberProblems,
> = RefusalOf<typeof accountMemberProblems, Reason>;
