// Rich reasons inside, poor codes outside: the one switch from a refusal to its public answer, for every door. Pure.

import { assertNever } from "../../../base/assert-never.ts";
import type { ProblemCode } from "../../../contract/problems/problem.ts";
import type { Refusal } from "../../core/refusal.ts";

/** `status`, `headers` and `retryAfterSeconds` are HTTP's; other doors show what they have a place for. */
export type PublicProblem = {
  readonly status: 400 | 401 | 402 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 426 | 429 | 500 | 503;
  readonly code: ProblemCode;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the body, where the contract names them. */
  readonly fields?: Readonly<Record<string, string | null>>;
};

/** A request that says what cannot be. */
export function invalidRequest(message: string): PublicProblem {
  return { status: 400, code: "invalid_request", message };
}

/** What the caller is told of a refusal. */
export function toProblem(refusal: Refusal): PublicProblem {
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
    case "policy_refused":
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

    case "sockets_reached":
      return {
        status: 429,
        code: "capacity_reached",
        message: `${refusal.allowed} sockets are open with credentials of this account or repository, and no more may be. Close one.`,
        retryAfterSeconds: 10,
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
    case "agent_key_missing":
      return invalidRequest("An independent agent needs the header Idempotency-Key, not empty.");
    case "model_unknown":
      return invalidRequest(
        `There is no model "${refusal.model}". GET /v1/pricing/models lists those that there are.`,
      );
    case "model_forbidden":
      return {
        status: 403,
        code: "plan_forbids_model",
        message: `Plan ${refusal.plan} does not allow model "${refusal.model}". Leave "model" out, or name one that is free-tier eligible.`,
      };
    case "agent_cap_reached":
      return {
        status: 429,
        code: "agent_cap_reached",
        message: `The account has ${refusal.agents} agents, its plan allows ${refusal.allowed}. Retire one, or use one that is there.`,
        retryAfterSeconds: 60,
      };
    case "session_not_found":
      return {
        status: 404,
        code: "not_found",
        message: `Agent has no session "${refusal.sessionId}". Leave session_id out to start a new one.`,
      };
    case "message_missing":
      return invalidRequest('One of "message" and "messages" is required.');
    case "session_named_twice":
      return invalidRequest(
        '"session_id" and "session_key" both name a session. Send one of them: the id of a session that is there, or a key of your own.',
      );
    case "session_key_in_flight":
      return {
        status: 409,
        code: "session_key_in_flight",
        message: `Session key "${refusal.key}" is being taken by another request. Send this one again in a moment.`,
        retryAfterSeconds: 2,
      };
    case "pull_request_needs_job":
      return {
        status: 403,
        code: "forbidden",
        message:
          'Only a CI job says which pull request a run works on, and this credential is the key of an account. Leave "pull_request" out, or submit with the capability of a job.',
      };
    case "pull_request_unsupported":
      return {
        status: 400,
        code: "pull_request_unsupported",
        message: `The head of a pull request can be fetched at ${refusal.allowed}, and this job is one of ${refusal.provider}. Leave "pull_request" out: the run then works on the job's own commit.`,
      };
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
    case "concurrency_reached":
      return {
        status: 429,
        code: "concurrency_reached",
        message: `${refusal.inFlight} runs of this account are in flight, its plan allows ${refusal.allowed}. Try again when one has ended.`,
        retryAfterSeconds: 10,
      };
    case "agent_retired":
      return {
        status: 403,
        code: "forbidden",
        message: `Agent ${refusal.agentId} is retired and takes no work.`,
      };
    case "agent_without_repository":
      return invalidRequest(
        `Agent ${refusal.agentId} has no repository, so that no CI job runs it. Leave "ci_policy" out.`,
      );
    case "policy_refused_since":
      return exchangeProblem(403, "forbidden", { ...refusal, reason: "policy_refused" });
    case "balance_ended":
      return {
        status: 402,
        code: "insufficient_credits",
        message: "The account has not enough credits for a run.",
        fields: { audience: refusal.plan, reason: refusal.reason },
      };
    case "capability_needed":
      return {
        status: 403,
        code: "forbidden",
        message: "This route takes a CI job's capability, not an account's key.",
      };
    case "account_needed":
      return {
        status: 403,
        code: "forbidden",
        message: "This route takes an account's key, not a CI job's capability.",
      };
    case "workflow_not_found":
      return { status: 404, code: "not_found", message: `There is no workflow ${refusal.workflowId}.` };
    case "workflow_version_not_found":
      return {
        status: 404,
        code: "not_found",
        message: `Workflow ${refusal.workflowId} has no version ${refusal.version}.`,
      };
    case "credits_of_another":
      return {
        status: 403,
        code: "forbidden",
        message: "An account's credits are shown to that account alone, and this credential is another's.",
      };
    case "schedule_not_found":
      return { status: 404, code: "not_found", message: `Agent has no schedule ${refusal.scheduleId}.` };
    case "schedule_time_passed":
      return invalidRequest(
        `"fire_at" must not be in the past: it is ${iso(refusal.fireAt)}, and now is ${iso(refusal.now)}.`,
      );
    case "schedule_not_confirmable":
      return {
        status: 409,
        code: "schedule_not_confirmable",
        message:
          refusal.status === "awaiting_confirmation"
            ? `Schedule ${refusal.scheduleId} can not be confirmed any more: its time was ${iso(refusal.fireAt)}. Make a new one.`
            : `Schedule ${refusal.scheduleId} needs no confirmation: it is ${refusal.status}.`,
      };
    case "schedule_not_cancellable":
      return {
        status: 404,
        code: "not_found",
        message: `Schedule ${refusal.scheduleId} can not be cancelled any more: it is ${refusal.status}.`,
      };
    case "agent_ending":
      return {
        status: 409,
        code: "agent_ending",
        message: `Agent ${refusal.agentId} is being deleted or was retired: it takes no work.`,
      };
    case "claim_unknown":
      return uselessClaim(
        refusal,
        "There is no such claim link, or it has ended. The next job that needs a billing account prints one.",
      );
    case "claim_ended":
      return uselessClaim(
        refusal,
        "The claim link has ended. The next job that needs a billing account prints a new one.",
      );
    case "claim_used":
      return uselessClaim(
        refusal,
        "Another account used this claim link. The next job that needs a billing account prints a new one.",
      );
    case "claimed_by_another":
      return {
        status: 409,
        code: "already_claimed",
        message: `The agent of ${refusal.repository} belongs to another account already.`,
      };
    case "owner_needed":
      return {
        status: 403,
        code: "owner_needed",
        message: `Only the owner in person may ${refusal.what}. Open ${refusal.url}`,
      };
    case "credits_ended":
      return unpaid(
        refusal,
        `The free credits of ${refusal.repository}'s owner are used up until ${new Date(refusal.resetsAt).toISOString()}.${wayToPay("Claim the repository to go on", refusal)}`,
      );
    case "repository_private":
      return unpaid(
        refusal,
        `Free credits are for public repositories, and ${refusal.repository} is not public.${wayToPay("Claim it to run its agent", refusal)}`,
      );

    case "session_unknown":
      return { status: 404, code: "not_found", message: `There is no session ${refusal.sessionId}.` };
    case "session_of_another":
      return {
        status: 403,
        code: "forbidden",
        message: `Session ${refusal.sessionId} belongs to an agent that this credential may not use.`,
      };
    case "run_not_found":
      return { status: 404, code: "not_found", message: `There is no run ${refusal.runId}.` };
    case "run_of_another":
      return {
        status: 403,
        code: "forbidden",
        message: `Run ${refusal.runId} belongs to an agent that this credential may not use.`,
      };
    case "events_expired":
      return {
        status: 410,
        code: "events_expired",
        message: `The events of run ${refusal.runId} are not kept any more. Its record is at GET /v1/agents/${refusal.agentId}/runs/${refusal.runId}.`,
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

function iso(ms: number): string {
  return new Date(ms).toISOString();
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

function uselessClaim({ reason }: { reason: string }, message: string): PublicProblem {
  return { status: 404, code: "not_found", message, fields: { reason } };
}

function unauthorized(message: string): PublicProblem {
  return { status: 401, code: "unauthorized", message, headers: { "WWW-Authenticate": "Bearer" } };
}

function wayToPay(what: string, { claimUrl }: { claimUrl: string | null }): string {
  return claimUrl === null ? " Repositories of this CI provider cannot be claimed." : ` ${what}: ${claimUrl}`;
}

function unpaid(refusal: { reason: string; claimUrl: string | null }, message: string): PublicProblem {
  return {
    status: 402,
    code: "insufficient_credits",
    message,
    fields: { audience: "anon", reason: refusal.reason, claim_url: refusal.claimUrl },
  };
}
