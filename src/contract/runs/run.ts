// A run as its readers get it. A union on `status`: a row that its state forbids does not parse. Pure.

import * as z from "zod/mini";

// Some origins are never produced: docs/decisions/071-values-that-nothing-produces.md
export const runOrigins = ["user", "schedule", "background", "agent", "agent_result"] as const;
export type RunOrigin = (typeof runOrigins)[number];

export const runCauses = [
  "user_stop",
  "interrupted",
  "stalled",
  "time_limit",
  "backend_error",
  "spawn_failed",
  "agent_deleted",
] as const;
export type RunCause = (typeof runCauses)[number];

/** Why a run that failed was not refunded, though its cause is one that is. */
export const refundWithheldReasons = ["output_schema", "answered", "refund_limit"] as const;
export type RefundWithheldReason = (typeof refundWithheldReasons)[number];

/** Who pays for the tokens of a run's model, where it is not the service: the repository, by an access of its own. */
export const modelBillings = ["repository"] as const;
export type ModelBilling = (typeof modelBillings)[number];

export const runStatuses = ["queued", "running", "cancelling", "completed", "failed", "cancelled"] as const;
export type RunStatus = (typeof runStatuses)[number];
export type TerminalRunStatus = "completed" | "failed" | "cancelled";

export function isTerminal(status: RunStatus): status is TerminalRunStatus {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export const roleUsageSchema = z.object({
  /** Not rounded: at most five decimal places. */
  credits: z.number(),
  micro_usd: z.int(),
  tokens: z.int(),
  calls: z.int(),
  estimated: z.optional(z.literal(true)),
});

/** What one model used, whoever pays. */
export const modelUsageSchema = z.object({
  model: z.string(),
  calls: z.int(),
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  output_tokens: z.int(),
  cost_micro_usd: z.optional(z.int()),
});

export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** Where the commit of a run comes from that no job asked for. */
export const commitOrigins = ["session", "default_branch", "code_host"] as const;
export type CommitOrigin = (typeof commitOrigins)[number];

export const runCommitSchema = z.object({
  from: z.enum(commitOrigins),
  sha: z.string(),
  ref: z.optional(z.string()),
});

const identity = {
  id: z.string(),
  agent_id: z.uuid(),
  thread_id: z.uuid(),
  origin: z.enum(runOrigins),
  parent_run_id: z.optional(z.string()),
  /** Absent where the run works in no workspace. */
  workspace_id: z.optional(z.uuid()),
  /** The copy that it works in. */
  copy_id: z.optional(z.uuid()),
  /** Absent where a job asked for the run, or it needs no commit. */
  commit: z.optional(runCommitSchema),
};

/** What a run and its children used of what they may use together. */
export const runBudgetSchema = z.object({
  counted_tokens: z.int(),
  max_tokens: z.optional(z.int()),
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  cost_micro_usd: z.optional(z.int()),
  max_cost_micro_usd: z.optional(z.int()),
});

export type RunBudget = z.infer<typeof runBudgetSchema>;

/** Micro-USD are integers, 1,000,000 = 1 USD; credits are net of refunds. */
const accounting = {
  credits: z.nullable(z.int()),
  tokens: z.nullable(z.int()),
  gross_micro_usd: z.optional(z.int()),
  refunded_micro_usd: z.optional(z.int()),
  refund_reason: z.optional(z.string()),
  refund_withheld_reason: z.optional(z.string()),
  /** Who paid for the model's tokens. Absent: the service, which charges for them. */
  model_billing: z.optional(z.enum(modelBillings)),
  usage_by_role: z.optional(
    z.object({
      executor: z.optional(roleUsageSchema),
      advisor: z.optional(roleUsageSchema),
      reviewer: z.optional(roleUsageSchema),
    }),
  ),
  /** In the order of their first calls: more than one where another role or a fallback answered. */
  usage_by_model: z.optional(z.array(modelUsageSchema)),
  /** What the run and its children used of what they may use together, whoever pays. */
  budget: z.optional(runBudgetSchema),
  /** The stronger model that the run might ask. Its spending is gross, and its role's in `usage_by_role`. */
  advisor: z.optional(
    z.object({
      calls_used: z.int(),
      calls_allowed: z.int(),
      spend_micro_usd: z.int(),
      spend_cap_micro_usd: z.optional(z.int()),
    }),
  ),
};

const timestamp = z.iso.datetime();
const unsettled = { credits: z.null(), tokens: z.null() };
const started = { started_at: timestamp, last_heartbeat_at: timestamp };

export const runSchema = z.discriminatedUnion("status", [
  z.object({ status: z.literal("queued"), ...identity, ...unsettled }),
  z.object({ status: z.literal("running"), ...identity, ...unsettled, ...started }),
  z.object({ status: z.literal("cancelling"), ...identity, ...unsettled, ...started }),
  z.object({
    status: z.literal("completed"),
    ...identity,
    ...accounting,
    ...started,
    ended_at: timestamp,
    stop_reason: z.string(),
  }),
  z.object({
    status: z.literal("failed"),
    ...identity,
    ...accounting,
    started_at: z.optional(timestamp),
    last_heartbeat_at: z.optional(timestamp),
    ended_at: timestamp,
    cause: z.enum(runCauses),
    retryable: z.boolean(),
    /** What left nothing for a first call of the model. */
    stop_reason: z.optional(z.string()),
  }),
  z.object({
    status: z.literal("cancelled"),
    ...identity,
    ...accounting,
    started_at: z.optional(timestamp),
    last_heartbeat_at: z.optional(timestamp),
    ended_at: timestamp,
    cause: z.enum(runCauses),
  }),
]);

export type Run = z.infer<typeof runSchema>;

export const submitRunResponseSchema = z.object({ run_id: z.string(), session_id: z.string() });
export type SubmitRunResponse = z.infer<typeof submitRunResponseSchema>;

export const cancelRunResponseSchema = z.object({ runId: z.string(), status: z.literal("cancelling") });
export type CancelRunResponse = z.infer<typeof cancelRunResponseSchema>;

export const runListSchema = z.array(runSchema);

/**
 * Why a run stopped by itself. Only after `end_turn` its work is done; `question` waits for an answer. One that could not pay
 * for a single call of its model has failed, and says which bound it was.
 */
export const stopReasons = [
  "end_turn",
  "max_tokens",
  "max_cost",
  "max_turns",
  "time_limit",
  "repeated_calls",
  "length",
  "content_filter",
  "credits",
  "insufficient_credits",
  "no_model",
  "question",
] as const;
export type StopReason = (typeof stopReasons)[number];

/** What cut a run before its work was done. */
export type RunBound = Exclude<StopReason, "end_turn" | "insufficient_credits" | "no_model" | "question">;

/** What may leave nothing for a first call. */
export const spendingStops = [
  "max_tokens",
  "max_cost",
  "insufficient_credits",
] as const satisfies readonly StopReason[];
export type SpendingStop = (typeof spendingStops)[number];
