// What a CI job is told. Pure.

import type { ProblemCode } from "../../../../contract/problems/problem.ts";
import type { PolicyRefusal } from "../../../core/agents/refusals.ts";
import type { ExchangeRefusal, PullRequestRefusal } from "../../../core/ci/refusals.ts";
import type { DayCapRefusal } from "../../../core/runs/refusals.ts";
import { forbidden, isoTime, type ProblemsOf, type PublicProblem } from "./public-problem.ts";

export const ciProblems: ProblemsOf<ExchangeRefusal | PolicyRefusal | DayCapRefusal | PullRequestRefusal> = {
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

  policy_refused_since: (refusal) =>
    exchangeProblem(403, "forbidden", { ...refusal, reason: "policy_refused" }),
  day_cap_reached: ({ reason, agentId, capMicroUsd, usedMicroUsd, resetsAt }) => ({
    status: 402,
    code: "day_cap_reached",
    message: `The owner lets the runs of this repository cost ${dollars(capMicroUsd)} a day (UTC), and ${dollars(usedMicroUsd)} is used, or may be by runs in flight. The next day begins at ${isoTime(resetsAt)}. The owner changes it with "agent-service agents policy ${agentId} --max-usd-per-day".`,
    fields: { reason, claim_url: null },
  }),
  pull_request_needs_job: () =>
    forbidden(
      'Only a CI job says which pull request a run works on, and this credential is the key of an account. Leave "pull_request" out, or submit with the capability of a job.',
    ),
  pull_request_unsupported: ({ allowed, provider }) => ({
    status: 400,
    code: "pull_request_unsupported",
    message: `The head of a pull request can be fetched in jobs of ${allowed}, and this is a job of ${provider}. Leave "pull_request" out: the run then works on the job's own commit.`,
  }),
};

function dollars(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(2)}`;
}

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
