// Problems: the form of every refusal on the wire, and the stable codes. Pure.
// Why: docs/decisions/007-reasons-beside-codes.md

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import { field, object } from "../field.ts";

/** Why an exchange was refused: finer than the RFC 6749 code, stable, safe to show. */
export const exchangeReasons = [
  "token_missing",
  "token_malformed",
  "token_type_unsupported",
  "grant_type_unsupported",
  "issuer_unknown",
  "issuer_disabled",
  "algorithm_refused",
  "key_unknown",
  "key_refused",
  "keys_unavailable",
  "signature_invalid",
  "audience_mismatch",
  "claim_missing",
  "token_expired",
  "token_not_yet_valid",
  "token_lifetime_too_long",
  "event_refused",
  "policy_refused",
  "token_replayed",
] as const;

export type ExchangeReason = (typeof exchangeReasons)[number];

/** Every `code` that an error body can carry. Clients branch on this, never on `error`. */
export const problemCodes = [
  "invalid_request",
  "invalid_grant",
  "invalid_target",
  "unauthorized",
  "forbidden",
  "insufficient_scope",
  "role_needed",
  "last_owner",
  "already_member",
  "not_found",
  "run_finished",
  "run_identity_off",
  "run_not_at_work",
  "run_unfinished",
  "delivery_reported",
  "run_not_parked",
  "turn_not_kept",
  "run_needs_more",
  "events_expired",
  "idempotency_key_in_flight",
  "idempotency_key_reused",
  "session_key_in_flight",
  "pull_request_unsupported",
  "price_unknown",
  "model_access_refused",
  "model_access_none",
  "mcp_access_none",
  "insufficient_credits",
  "claim_required",
  "day_cap_reached",
  "commit_missing",
  "commit_unknown",
  "commit_unreachable",
  "repository_access_unavailable",
  "commit_not_the_jobs",
  "upload_too_large",
  "upload_quota",
  "pack_refused",
  "body_too_large",
  "unsupported_media_type",
  "precondition_failed",
  "range_not_satisfiable",
  "rate_limited",
  "capacity_reached",
  "concurrency_reached",
  "owner_needed",
  "already_claimed",
  "schedule_not_confirmable",
  "approval_decided",
  "question_answered",
  "agent_ending",
  "plan_forbids_model",
  "agent_cap_reached",
  "workspace_cap_reached",
  "workspaces_not_admitted",
  "workspace_erasing",
  "invalid_workspace_manager",
  "workspace_manager_in_use",
  "workspace_held",
  "copy_held",
  "copy_unsaved",
  "storage_adopting",
  "path_invalid",
  "path_taken",
  "file_too_large",
  "not_text",
  "revision_in_use",
  "current_revision_conflict",
  "changeset_decided",
  "changeset_conflicted",
  "adoption_state",
  "task_group_stopped",
  "task_group_spent",
  "site_unclaimed",
  "inbound_email_off",
  "unavailable",
  "storage_full",
  "storage_unavailable",
  "contents_lost",
  "overloaded",
  "upgrade_required",
  "internal",
] as const;

export type ProblemCode = (typeof problemCodes)[number];

export const audiences = ["anon", "registered_free", "subscribed"] as const;

/** A field of the request that is wrong: its path, parts joined by dots, and what is allowed. */
export const wrongFieldSchema = object({
  field: field(z.string(), "The path of the field, its parts joined by dots."),
  allowed: field(z.string(), "What is allowed there."),
  reason: field(
    z.optional(z.string()),
    "`unknown_field` where there is no such field. Absent: its value is wrong.",
  ),
});
/** Why a field is wrong: the service has none of that name. */
export const UNKNOWN_FIELD = "unknown_field";
/** A field of the request that is wrong: its path, and what is allowed there. An entry of `fields` of an ApiError. */
export type WrongField = z.infer<typeof wrongFieldSchema>;

/** Why a run that brings its own access to a model is not taken. */
export const modelAccessReasons = [
  "not_executed",
  "service_insecure",
  "secrets_key_missing",
  "wire_unsupported",
  "access_expired",
  "access_ending",
  "mcp_access_unknown",
] as const;

export type ModelAccessReason = (typeof modelAccessReasons)[number];

/**
 * The body of every refusal. `reason`, `expected` and `got` come with a refused exchange or a job that a policy refuses,
 * `reason` with a refused pack and a refused access to a model, too; `audience` and `claim_url` with a 402; `approve_url` with an `owner_needed` that waits for the owner; `fields` with a 400 for a query or a body; `current_etag` with a 412;
 * `workspace_ids` where an agent is the manager of these; `run_id` where a run holds the copy; `current_revision` and `paths` where a
 * change builds on another revision than the current one; `cap_bytes` where a file is larger than may be read so.
 */
export const problemSchema = object({
  error: field(z.string(), "A message for people. Do not parse it."),
  code: field(z.string(), "A stable word for the cause. Branch on this."),
  request_id: field(z.string(), "Names the request in the service's log."),
  reason: field(z.optional(z.string()), "A finer stable word, where there is one."),
  expected: field(z.optional(z.string()), "What was expected, of a token or a policy."),
  got: field(z.optional(z.string()), "What the token had instead."),
  audience: field(z.optional(z.enum(audiences)), "The kind of the account that has no credits, with a 402."),
  claim_url: field(
    z.optional(z.nullable(z.string())),
    "Where an account claims the repository's agent, with a 402; null where that is not possible.",
  ),
  approve_url: field(z.optional(z.string()), "Where the owner approves this request, with `owner_needed`."),
  fields: field(
    z.optional(z.array(wrongFieldSchema)),
    "The fields of the query or the body that are wrong, with a 400.",
  ),
  current_etag: field(z.optional(z.string()), "The ETag that holds, with a 412."),
  workspace_ids: field(
    z.optional(z.array(z.string())),
    "The workspaces that the agent manages, with `workspace_manager_in_use`.",
  ),
  run_id: field(z.optional(z.string()), "The run that holds the copy, with `copy_held`."),
  current_revision: field(z.optional(z.string()), "The current revision, with `current_revision_conflict`."),
  paths: field(z.optional(z.array(z.string())), "The paths that it is about, where there are any."),
  cap_bytes: field(z.optional(z.int()), "How large a file may be that is read so, with `file_too_large`."),
});

export type Problem = z.infer<typeof problemSchema>;

export const problemComponents: Components = {
  Problem: component(problemSchema, "The body of every refusal."),
};
