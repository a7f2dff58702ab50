// Rich reasons inside, poor codes outside: the one switch from a refusal to its public answer.

import { assertNever } from "../../base/assert-never.ts";
import type { ProblemCode } from "../../contract/problem.ts";
import type { Refusal } from "../core/refusal.ts";
import type { RequestContext } from "./request-context.ts";

export type PublicProblem = {
  readonly status: 400 | 401 | 402 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;
  readonly code: ProblemCode;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the body, where the contract names them. */
  readonly fields?: Readonly<Record<string, string | null>>;
};

/** Answers with a problem as every route does. */
export function answerProblem(context: RequestContext, problem: PublicProblem): Response {
  for (const [name, value] of Object.entries(problem.headers ?? {})) context.header(name, value);
  if (problem.retryAfterSeconds !== undefined)
    context.header("Retry-After", String(problem.retryAfterSeconds));
  const { message: error, code, fields } = problem;
  return context.json({ error, code, request_id: context.var.requestId, ...fields }, problem.status);
}

/** Answers with a refusal of the core, and logs why. */
export function answerRefusal(context: RequestContext, refusal: Refusal): Response {
  const problem = toProblem(refusal);
  context.var.log.info({ reason: refusal.reason, status: problem.status, code: problem.code }, "refused");
  return answerProblem(context, problem);
}

export function invalidRequest(message: string): PublicProblem {
  return { status: 400, code: "invalid_request", message };
}

function toProblem(refusal: Refusal): PublicProblem {
  switch (refusal.reason) {
    case "token_missing":
    case "token_type_unsupported":
    case "grant_type_unsupported":
      return exchangeProblem(400, "invalid_request", refusal);
    case "token_malformed":
      return exchangeProblem(401, "invalid_request", refusal);
    case "audience_mismatch":
      return exchangeProblem(401, "invalid_target", refusal);
    case "issuer_unknown":
    case "algorithm_refused":
    case "key_unknown":
    case "key_refused":
    case "signature_invalid":
    case "claim_missing":
    case "token_expired":
    case "token_not_yet_valid":
    case "token_lifetime_too_long":
    case "token_replayed":
      return exchangeProblem(401, "invalid_grant", refusal);
    case "issuer_disabled":
    case "event_refused":
      return exchangeProblem(403, "invalid_grant", refusal);
    case "keys_unavailable":
      return { ...exchangeProblem(503, "unavailable", refusal), retryAfterSeconds: 5 };

    case "rate_limited":
      return {
        status: 429,
        code: "rate_limited",
        message: `Too many requests from this ${refusal.scope}. Wait and try again.`,
        retryAfterSeconds: Math.ceil(refusal.retryAfterMs / 1000),
      };

    case "credential_missing":
      return unauthorized("No credential. Send the header Authorization: Bearer <token>.");
    case "credential_malformed":
      return unauthorized(
        "The bearer credential is not one of this service: its form or its checksum is wrong.",
      );
    case "credential_unknown":
      return unauthorized("The bearer credential is not known to this service.");
    case "credential_revoked":
      return unauthorized("The capability was revoked. Exchange a fresh token for a new one.");
    case "credential_expired":
      return unauthorized(
        `The capability ended at ${new Date(refusal.expiredAt).toISOString()}. Exchange a fresh token for a new one.`,
      );

    case "agent_not_found":
      return { status: 404, code: "not_found", message: `There is no agent ${refusal.agentId}.` };
    case "agent_of_another":
      return {
        status: 403,
        code: "forbidden",
        message: `Agent ${refusal.agentId} is not the one that this credential may run.`,
      };
    case "session_not_found":
      return {
        status: 404,
        code: "not_found",
        message: `Agent has no session "${refusal.sessionId}". Leave session_id out to start a new one.`,
      };
    case "message_missing":
      return invalidRequest('One of "message" and "messages" is required.');
    case "key_in_flight":
      return {
        status: 409,
        code: "idempotency_key_in_flight",
        message: `A request with idempotency key "${refusal.key}" is still being answered. Send it again in a moment.`,
        retryAfterSeconds: 2,
      };
    case "key_reused":
      return {
        status: 422,
        code: "idempotency_key_reused",
        message: `Idempotency key "${refusal.key}" was used for a different request within 24 hours. Use a new key.`,
      };
    case "capacity_reached":
      return {
        status: 429,
        code: "capacity_reached",
        message: `${refusal.queued} runs wait already, ${refusal.allowed} may. Try again later.`,
        retryAfterSeconds: 10,
      };
    case "credits_ended":
      return unpaid(
        refusal,
        `The free credits of ${refusal.repository}'s owner are used up until ${new Date(refusal.resetsAt).toISOString()}. Claim the repository to go on: ${refusal.claimUrl}`,
      );
    case "repository_private":
      return unpaid(
        refusal,
        `Free credits are for public repositories, and ${refusal.repository} is not public. Claim it to run its agent: ${refusal.claimUrl}`,
      );

    case "run_not_found":
      return { status: 404, code: "not_found", message: `There is no run ${refusal.runId}.` };
    case "run_of_another":
      return {
        status: 403,
        code: "forbidden",
        message: `Run ${refusal.runId} belongs to an agent that this credential may not use.`,
      };
    case "run_finished":
      return {
        status: 409,
        code: "run_finished",
        message: `Run ${refusal.runId} has ended already: ${refusal.status}.`,
      };
    default:
      return assertNever(refusal);
  }
}

function exchangeProblem(
  status: 400 | 401 | 403 | 503,
  code: ProblemCode,
  refusal: { reason: string; detail: string; expected?: string; got?: string },
): PublicProblem {
  const { reason, detail, expected, got } = refusal;
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

function unauthorized(message: string): PublicProblem {
  return { status: 401, code: "unauthorized", message, headers: { "WWW-Authenticate": "Bearer" } };
}

function unpaid(refusal: { reason: string; claimUrl: string }, message: string): PublicProblem {
  return {
    status: 402,
    code: "insufficient_credits",
    message,
    fields: { audience: "anon", reason: refusal.reason, claim_url: refusal.claimUrl },
  };
}
