// A run and its routes under /v1/agents/{agentID}/runs. A run is a union on `status`: a row that its state
// forbids does not parse. Pure.

import * as z from "zod/mini";
import { boundedObject } from "../bounded-object.ts";
import { wholeNumber } from "../query.ts";
import { text } from "../text.ts";
import { pullRequestSchema } from "./pull-request.ts";

export const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024;
export const MAX_OUTPUT_SCHEMA_DEPTH = 64;
export const MAX_TURN_TOKENS = 5_000_000;
export const MAX_IDEMPOTENCY_KEY_CHARS = 255;
export const MAX_SESSION_KEY_CHARS = 255;
export const MAX_PAGE_RUNS = 100;
export const DEFAULT_PAGE_RUNS = 50;

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

export const runStatuses = ["queued", "running", "cancelling", "completed", "failed", "cancelled"] as const;
export type RunStatus = (typeof runStatuses)[number];
export type TerminalRunStatus = "completed" | "failed" | "cancelled";

export function isTerminal(status: RunStatus): status is TerminalRunStatus {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export const roleUsageSchema = z.object({ credits: z.int(), tokens: z.int(), calls: z.int() });

const identity = {
  id: z.string(),
  agent_id: z.uuid(),
  thread_id: z.uuid(),
  origin: z.enum(runOrigins),
  parent_run_id: z.optional(z.string()),
};

/** Micro-USD are integers, 1,000,000 = 1 USD; credits are net of refunds. */
const accounting = {
  credits: z.nullable(z.int()),
  tokens: z.nullable(z.int()),
  gross_micro_usd: z.optional(z.int()),
  refunded_micro_usd: z.optional(z.int()),
  refund_reason: z.optional(z.string()),
  refund_withheld_reason: z.optional(z.string()),
  usage_by_role: z.optional(
    z.object({
      executor: z.optional(roleUsageSchema),
      advisor: z.optional(roleUsageSchema),
      reviewer: z.optional(roleUsageSchema),
    }),
  ),
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

export const messageRoles = ["system", "user", "assistant", "tool"] as const;
export const partTypes = ["text", "image", "file"] as const;

export const partSchema = z.object({
  type: z.enum(partTypes),
  path: z.optional(z.string()),
  mime: z.optional(z.string()),
  w: z.optional(z.int()),
  h: z.optional(z.int()),
});

export const messageSchema = z.object({
  role: z.enum(messageRoles),
  content: z.string(),
  tool_call_id: z.optional(z.string()),
  parts: z.optional(z.array(partSchema)),
});

export type Message = z.infer<typeof messageSchema>;

/** Exactly one of `message` and `messages` is needed; `messages` wins when both are sent, and `message` is not read. */
export const submitRunRequestSchema = z.object({
  message: z.optional(z.string()),
  messages: z.optional(z.array(messageSchema).check(z.minLength(1))),
  /** The session to go on in; with neither this nor `session_key`, the run begins one. */
  session_id: z.optional(text(255)),
  /**
   * Names the session by a key of the caller's own, in the place of `session_id`: the first run with the key begins
   * it, every later one goes on in it. Keys belong to the agent: whoever may submit runs of it, its owner and every
   * job of its repository, reaches each of its sessions by the key, with all that was said there. A key keeps threads
   * apart, and protects nothing: make it of what the CI vouches for, as the number of an issue, and not of text that
   * an outsider wrote. It ends with the claim: after a release of the agent the same key begins a new session.
   *
   * Runs of one session that change files take their turns: each begins when the ones before it have ended.
   */
  session_key: z.optional(text(MAX_SESSION_KEY_CHARS)),
  /** With `session_key`: begins a session anew, and the key is its from then on. Else not read. */
  new_session: z.optional(z.boolean()),
  /** A CI job's alone: the pull request whose head the run works on, in the place of the job's commit. */
  pull_request: z.optional(pullRequestSchema),
  idempotency_key: z.optional(text(MAX_IDEMPOTENCY_KEY_CHARS)),
  max_turn_tokens: z.optional(z.int().check(z.minimum(0), z.maximum(MAX_TURN_TOKENS))),
  /** A JSON Schema (2020-12) that the reply has to fit; it then also comes as the event `output`. */
  output_schema: z.optional(
    boundedObject({ maxBytes: MAX_OUTPUT_SCHEMA_BYTES, maxDepth: MAX_OUTPUT_SCHEMA_DEPTH }),
  ),
});

export type SubmitRunRequest = z.infer<typeof submitRunRequestSchema>;

export const submitRunResponseSchema = z.object({ run_id: z.string(), session_id: z.string() });
export type SubmitRunResponse = z.infer<typeof submitRunResponseSchema>;

export const cancelRunResponseSchema = z.object({ runId: z.string(), status: z.literal("cancelling") });
export type CancelRunResponse = z.infer<typeof cancelRunResponseSchema>;

export const runListSchema = z.array(runSchema);

/** Query text in; `before` is the id of the run that the page comes after, `session_key` names the one session. */
export const listRunsQuerySchema = z.object({
  before: z.optional(z.uuid()),
  session_key: z.optional(text(MAX_SESSION_KEY_CHARS)),
  limit: wholeNumber({ min: 1, max: MAX_PAGE_RUNS, fallback: DEFAULT_PAGE_RUNS }),
});
