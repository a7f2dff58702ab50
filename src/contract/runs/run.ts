// A run as its readers get it. A union on `status`: a row that its state forbids does not parse. Pure.

import * as z from "zod/mini";
import { field, object } from "../field.ts";
import { runAboutSchema } from "./about.ts";
import { checksStates } from "./checks.ts";
import { runDeliverySchema } from "./delivery.ts";

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
const refundWithheldReasons = ["output_schema", "answered", "refund_limit"] as const;
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

/**
 * Why a run stopped by itself. Only after `end_turn` its work is done; `question` waits for an answer. One that could not pay
 * for a single call of its model has failed, and says which bound it was; so has one that lost too many workers (`poison`).
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
  "empty_answer",
  "credits",
  "insufficient_credits",
  "no_model",
  "question",
  "poison",
] as const;
export type StopReason = (typeof stopReasons)[number];

/** Stop reasons that may leave nothing for a first call. */
export const spendingStops = [
  "max_tokens",
  "max_cost",
  "insufficient_credits",
] as const satisfies readonly StopReason[];

const cuts = stopReasons.filter((reason) => !["end_turn", "question", "poison"].includes(reason));
const stopText = `Why it stopped. \`end_turn\`: its work is done. \`question\`: the next message of its session answers it. Cut before that: ${listed(cuts)}. Of a failed run: what left nothing for a first call of its model (${listed(spendingStops)}), or \`poison\`: it lost five workers in a row.`;

export const roleUsageSchema = object({
  credits: field(z.number(), "Credits before refunds, not rounded."),
  micro_usd: field(z.int(), "The same in micro-USD. The roles' amounts sum to `gross_micro_usd`."),
  tokens: field(z.int(), "Tokens."),
  calls: field(z.int(), "Calls of the model."),
  estimated: field(
    z.optional(z.literal(true)),
    "True where the service estimated some of it, because a model's server reported no usage or an impossible one.",
  ),
});

/** Usage of one model, whoever pays. */
export const modelUsageSchema = object({
  model: field(
    z.string(),
    "The model, as its provider calls it. Empty for those beyond the first nineteen, together.",
  ),
  calls: field(z.int(), "Calls."),
  input_tokens: field(z.int(), "Input."),
  cached_input_tokens: field(z.int(), "How much of it came from a cache."),
  output_tokens: field(z.int(), "Output."),
  cost_micro_usd: field(
    z.optional(z.int()),
    "What they cost by the service's prices, or the published ones, in micro-USD. Absent where the model has no known price.",
  ),
});

export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** Origins of the commit of a run that no job asked for. */
export const commitOrigins = ["session", "default_branch", "code_host"] as const;
export type CommitOrigin = (typeof commitOrigins)[number];

export const runCommitSchema = object({
  from: field(
    z.enum(commitOrigins),
    "`session`: that of the session's last run. `default_branch`: the newest of the default branch that a job has sent, or has named of a public repository. `code_host`: the newest of the default branch at the code host, by the access that the agent's owner chose.",
  ),
  sha: field(z.string(), "The commit."),
  ref: field(z.optional(z.string()), "The branch, or the ref of a pull request, that it was found at."),
});

const identity = {
  id: field(z.string(), "The run's id."),
  agent_id: field(z.uuid(), "The agent that runs."),
  thread_id: field(z.uuid(), "The run's session."),
  origin: field(z.enum(runOrigins), "What started the run."),
  parent_run_id: field(z.optional(z.string()), "The run that delegated this one."),
  workspace_id: field(z.optional(z.uuid()), "The workspace that it works in; absent where it works in none."),
  copy_id: field(
    z.optional(z.uuid()),
    "The copy of the workspace that it works in; absent where it has the accepted files.",
  ),
  commit: field(
    z.optional(runCommitSchema),
    "The commit that the run works on, where no job said it. Absent for a run of a job, and where no commit is needed.",
  ),
  about: field(
    z.optional(runAboutSchema),
    "What the run is about. Who has no more than a link to the run is not shown the request. Absent of runs of earlier versions.",
  ),
  delivery: field(
    z.optional(runDeliverySchema),
    "What the job did with the run's results, in the job's own words: the service has not verified it. Absent where no job said that it would report.",
  ),
};

/** Use of the shared budget by a run and its children. */
export const runBudgetSchema = object({
  counted_tokens: field(
    z.int(),
    "Tokens as the budget counts them: input from a cache by its price relative to other input.",
  ),
  max_tokens: field(z.optional(z.int()), "The most of them; absent without a limit."),
  input_tokens: field(z.int(), "Input of the run's own models."),
  cached_input_tokens: field(z.int(), "How much of it came from a cache."),
  cost_micro_usd: field(
    z.optional(z.int()),
    "What the models cost by the service's prices, or the published ones, in micro-USD. Absent where a model has no known price. Who pays, and how much, is elsewhere.",
  ),
  max_cost_micro_usd: field(z.optional(z.int()), "The most of it; absent without a limit."),
});

export type RunBudget = z.infer<typeof runBudgetSchema>;

/** Of a run that has ended. */
const checks = field(
  z.optional(z.enum(checksStates)),
  "How the commands that check ended, such as tests and builds, which the built-in agent executed since its last edit, by their exit codes: a fact of the record, whatever the reply says. `none`: it changed something, and executed none since. Absent where nothing was changed or checked, and where it is not known: read it as `none`.",
);

/** Micro-USD are integers, 1,000,000 = 1 USD; credits are net of refunds. */
const accounting = {
  credits: field(z.nullable(z.int()), "Credits charged, after refunds; null where they are not known."),
  tokens: field(z.nullable(z.int()), "Tokens used; null where they are not known."),
  gross_micro_usd: field(
    z.optional(z.int()),
    "What was used before refunds, in micro-USD (1,000,000 = 1 USD).",
  ),
  refunded_micro_usd: field(z.optional(z.int()), "What was refunded, in micro-USD."),
  refund_reason: field(
    z.optional(z.string()),
    "Why it was refunded. Its `cause`, where a caller can produce such a failure: these refunds are limited a day. Otherwise the service's own fault: `interrupted`, `stalled`, `storage_unavailable`, `contents_lost`, `misconfigured`, `internal_error`, `model_unavailable`, `model_key_refused`.",
  ),
  refund_withheld_reason: field(
    z.optional(z.string()),
    "Why a failed run was charged that would be refunded. `output_schema`: its reply never fit. `answered`: it had answered before its agent's process ended. `refund_limit`: as many runs of its billing account were refunded that day as may be.",
  ),
  model_billing: field(
    z.optional(z.enum(modelBillings)),
    "Who paid for the model's tokens, where it is not the service: `repository`, by the access that the job brought. The run is charged without them.",
  ),
  usage_by_role: field(
    z.optional(
      object({
        executor: field(
          z.optional(roleUsageSchema),
          "The model that does the work. The prices of the run itself and of tools are part of its costs.",
        ),
        advisor: field(z.optional(roleUsageSchema), "The stronger model that it may consult."),
        reviewer: field(z.optional(roleUsageSchema), "The model that reviews the work."),
      }),
    ),
    "What each role used. Absent where it is not known.",
  ),
  usage_by_model: field(
    z.optional(z.array(modelUsageSchema)),
    "What each model used, in the order of their first calls: a fallback and the models of other roles have entries of their own. Absent where it is not known.",
  ),
  budget: field(
    z.optional(runBudgetSchema),
    "What the run and its children used of what they may use together. Absent where it is not known.",
  ),
  advisor: field(
    z.optional(
      object({
        calls_used: field(z.int(), "Calls made."),
        calls_allowed: field(z.int(), "Calls that the run may make."),
        spend_micro_usd: field(
          z.int(),
          "What they cost before refunds, in micro-USD: the advisor's part of `usage_by_role`.",
        ),
        spend_cap_micro_usd: field(z.optional(z.int()), "What they may cost; absent without a cap."),
      }),
    ),
    "How the stronger model was consulted.",
  ),
};

const timestamp = z.iso.datetime();

/** Stop reasons at which a run may be parked: what it lacks can still be given. */
export const parkStops = [
  "question",
  "max_tokens",
  "max_cost",
  "max_turns",
  "time_limit",
  "credits",
] as const satisfies readonly StopReason[];

/**
 * `day_cap`: its limit of cost is what the owner's cap a day left for it. `provider_unavailable`: it would have failed, for its
 * model's provider is away.
 */
export const parkReasons = [...parkStops, "day_cap", "provider_unavailable"] as const;
export type ParkReason = (typeof parkReasons)[number];

/** Those after which a run goes on by itself: nobody has to give it anything. */
export const retriedReasons = ["day_cap", "provider_unavailable"] as const satisfies readonly ParkReason[];

/** `reason` is open: a newer service may park runs for others. */
export const parkedSchema = object({
  reason: field(
    z.string(),
    `What the run waits for: ${listed(parkReasons)}. It is the \`stop_reason\` with which the run ends where nobody continues it; after \`day_cap\`, what the owner lets runs cost a day, it is \`max_cost\`. After \`provider_unavailable\`, an outage of the model's provider, it has failed then.`,
  ),
  since: field(timestamp, "When it was parked."),
  until: field(timestamp, "When it ends by itself, with what it has done, unless it goes on before."),
  next_try_at: field(
    z.optional(timestamp),
    `When it goes on by itself, at the earliest: after ${listed(retriedReasons)}. Absent where somebody has to continue it.`,
  ),
  how_to_continue: field(z.string(), "What to do, in one sentence, for people."),
});
export type Parked = z.infer<typeof parkedSchema>;

const unsettled = {
  credits: field(z.null(), "Credits charged, after refunds; null where they are not known."),
  tokens: field(z.null(), "Tokens used; null where they are not known."),
};
const started = {
  started_at: field(timestamp, "When it began."),
  last_heartbeat_at: field(timestamp, "When its executor last reported."),
};

const status = <Name extends RunStatus>(name: Name) => field(z.literal(name), "Where the run stands.");

const endedAt = field(timestamp, "When it ended.");

export const runSchema = z.discriminatedUnion("status", [
  object({ status: status("queued"), ...identity, ...unsettled }),
  object({
    status: status("running"),
    ...identity,
    ...unsettled,
    ...started,
    parked: field(
      z.optional(parkedSchema),
      "Present while nobody works on the run: it waits for an answer, a higher limit, credits, another day or the model's provider, and goes on by `POST …/resume`.",
    ),
  }),
  object({ status: status("cancelling"), ...identity, ...unsettled, ...started }),
  object({
    status: status("completed"),
    ...identity,
    ...accounting,
    checks,
    ...started,
    ended_at: endedAt,
    stop_reason: field(z.string(), stopText),
  }),
  object({
    status: status("failed"),
    ...identity,
    ...accounting,
    checks,
    started_at: field(z.optional(timestamp), "When it began."),
    last_heartbeat_at: field(z.optional(timestamp), "When its executor last reported."),
    ended_at: endedAt,
    cause: field(z.enum(runCauses), "Why it failed or was cancelled."),
    retryable: field(z.boolean(), "True when the same request may succeed later."),
    stop_reason: field(z.optional(z.string()), stopText),
  }),
  object({
    status: status("cancelled"),
    ...identity,
    ...accounting,
    checks,
    started_at: field(z.optional(timestamp), "When it began."),
    last_heartbeat_at: field(z.optional(timestamp), "When its executor last reported."),
    ended_at: endedAt,
    cause: field(z.enum(runCauses), "Why it failed or was cancelled."),
  }),
]);

/**
 * A run: its status and its accounting, without its output. A union on `status`. `credits` and tokens are whole
 * numbers, times ISO 8601.
 */
export type Run = z.infer<typeof runSchema>;

export const submitRunResponseSchema = object({
  run_id: field(z.string(), "The run's id."),
  session_id: field(z.string(), "The session's id."),
  continued_after: field(
    z.optional(z.int().check(z.minimum(1))),
    "Present where a parked run goes on: the `seq` of its last event before. What it does from here on comes after that.",
  ),
});

export type SubmitRunResponse = z.infer<typeof submitRunResponseSchema>;

export const cancelRunResponseSchema = object({
  runId: field(z.string(), "The run's id."),
  status: field(z.literal("cancelling"), "Always `cancelling`: read the run to see it end."),
});
/** The answer of `runs.cancel`: the status is always `cancelling`. Read the run to see it end. */
export type CancelRunResponse = z.infer<typeof cancelRunResponseSchema>;

export const runListSchema = z.array(runSchema);

/** The bound that cut a run before its work was done. */
export type RunBound = Exclude<StopReason, "end_turn" | "insufficient_credits" | "no_model" | "question">;

export type SpendingStop = (typeof spendingStops)[number];

function listed(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}
