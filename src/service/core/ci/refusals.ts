// Refusals of a CI job, and their problems. Pure.

import type { ExchangeReason, ProblemCode } from "../../../contract/problems/problem.ts";
import { forbidden, type ProblemTable, type PublicProblem, type RefusalOf } from "../ports/problem.ts";

/** `expected` and `got` repeat claims of the token: they are filled only after its signature has passed. */
export type ExchangeRefusal = {
  readonly reason: ExchangeReason;
  readonly detail: string;
  readonly expected?: string;
  readonly got?: string;
};

/** Why a job gets no token for the account of its repository's owner. */
export type MintRefusal = {
  readonly reason: "repository_unclaimed" | "mint_off" | "mint_event_refused";
  readonly detail: string;
};

const exchangeProblems = {
  token_missing: (refusal) => exchangeProblem(400, "invalid_request", refusal),
  token_type_unsupported: (refusal) => exchangeProblem(400, "invalid_request", refusal),
  grant_type_unsupported: (refusal) => exchangeProblem(400, "invalid_request", refusal),
  token_malformed: (refusal) => exchangeProblem(401, "invalid_request", refusal),
  audience_mismatch: (refusal) => exchangeProblem(401, "invalid_target", refusal),
  issuer_unknown: invalidGrant,
  algorithm_refused: invalidGrant,
  key_unknown: invalidGrant,
  key_refused: invalidGrant,
  signature_invalid: invalidGrant,
  claim_missing: invalidGrant,
  token_expired: invalidGrant,
  token_not_yet_valid: invalidGrant,
  token_lifetime_too_long: invalidGrant,
  token_replayed: invalidGrant,
  issuer_disabled: (refusal) => exchangeProblem(403, "invalid_grant", refusal),
  event_refused: (refusal) => exchangeProblem(403, "invalid_grant", refusal),
  policy_refused: (refusal) => exchangeProblem(403, "invalid_grant", refusal),
  keys_unavailable: (refusal) => ({
    ...exchangeProblem(503, "unavailable", refusal),
    retryAfterSeconds: 5,
  }),
} satisfies Record<ExchangeReason, (refusal: ExchangeRefusal) => PublicProblem>;

export const ciProblems = {
  ...exchangeProblems,
  pull_request_needs_job: () =>
    forbidden(
      'Only a CI job says which pull request a run works on, and this credential is the key of an account. Leave "pull_request" out, or submit with the capability of a job.',
    ),
  pull_request_unsupported: ({ allowed, provider }: { provider: string; allowed: string }) => ({
    status: 400,
    code: "pull_request_unsupported",
    message: `The head of a pull request can be fetched in jobs of ${allowed}, and this is a job of ${provider}. Leave "pull_request" out: the run then works on the job's own commit.`,
  }),
} satisfies ProblemTable;

export type PullRequestRefusal = RefusalOf<
  typeof ciProblems,
  "pull_request_needs_job" | "pull_request_unsupported"
>;

function invalidGrant(refusal: ExchangeRefusal): PublicProblem {
  return exchangeProblem(401, "invalid_grant", refusal);
}

function exchangeProblem(
  status: 400 | 401 | 403 | 503,
  code: ProblemCode,
  { reason, detail, expected, got }: ExchangeRefusal,
): PublicProblem {
  return {
    status,
    code,
    message: detail,
    fields: {
      reason,
      ...(expected === undefined ? {} : { expected }),
      ...(got === undefined ? {} : { got }),
    },
  };
}
