// Requests about runs: the one to submit a run, and the query of a list. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { egressPolicyRequestSchema } from "../egress.ts";
import { bodyKey, boundedObject, text, wholeNumber } from "../fields.ts";
import { mcpServersRequestSchema } from "./mcp-servers.ts";
import { modelAccessSchema } from "./model-access.ts";
import { pullRequestSchema } from "./pull-request.ts";

export const MAX_SETUP_PATH_CHARS = 255;

/** Folders and a file: letters, digits and `.` `_` `@` `+` `-`. */
export const setupPathPattern = /^[\w.@+-]+(?:\/[\w.@+-]+)*$/;

export const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024;
export const MAX_OUTPUT_SCHEMA_DEPTH = 64;
export const MAX_TURN_TOKENS = 5_000_000;
/** In US dollars. */
export const LEAST_MAX_COST_USD = 0.01;
export const MOST_MAX_COST_USD = 10_000;
const MAX_TIME_LIMIT_SECONDS = 7 * 24 * 60 * 60;
const setupPathSchema = z.string().check(z.maxLength(MAX_SETUP_PATH_CHARS), z.regex(setupPathPattern));

export const MAX_SESSION_KEY_CHARS = 255;
export const MAX_PAGE_RUNS = 100;
export const DEFAULT_PAGE_RUNS = 50;

export const messageRoles = ["system", "user", "assistant", "tool"] as const;
export const partTypes = ["text", "image", "file"] as const;

/** Of one image, in base 64: three megabytes. */
export const MAX_PART_DATA_CHARS = 4_000_000;

export const partSchema = strictObject({
  type: z.enum(partTypes),
  /** Of a file of the checkout; with `data`, what the image is called. */
  path: z.optional(z.string()),
  /** Of an image that is not in the checkout, in base 64. */
  data: z.optional(z.string().check(z.maxLength(MAX_PART_DATA_CHARS))),
  mime: z.optional(z.string()),
  w: z.optional(z.int()),
  h: z.optional(z.int()),
});

export const messageSchema = strictObject({
  role: z.enum(messageRoles),
  content: z.string(),
  tool_call_id: z.optional(z.string()),
  parts: z.optional(z.array(partSchema)),
});

export type Message = z.infer<typeof messageSchema>;

/** Exactly one of `message` and `messages` is needed; `messages` wins when both are sent, and `message` is not read. */
export const submitRunRequestSchema = strictObject({
  message: z.optional(z.string()),
  messages: z.optional(z.array(messageSchema).check(z.minLength(1))),
  /** The session to continue; with neither this nor `session_key`, the run begins one. */
  session_id: z.optional(text(255)),
  /**
   * Names the session by a key of the caller's own, instead of `session_id`: the first run with the key begins it,
   * every later one continues it. Keys belong to the agent: whoever may submit runs of it, its owner and every
   * job of its repository, reaches each of its sessions by the key, with all that was said there. A key keeps threads
   * apart, and protects nothing: make it of what the CI vouches for, such as the number of an issue, and not of text
   * that an outsider wrote. It ends with the claim: after a release of the agent the same key begins a new session.
   *
   * Runs of one session that change files take turns: each begins when the ones before it have ended.
   */
  session_key: z.optional(text(MAX_SESSION_KEY_CHARS)),
  /** With `session_key`: begins the session anew, and the key names that one from then on. Else not read. */
  new_session: z.optional(z.boolean()),
  /** Only for a CI job: the pull request whose head the run works on, instead of the job's commit. */
  pull_request: z.optional(pullRequestSchema),
  /**
   * Only for a CI job: the access to a model that the run uses instead of the service's. The job renews it while the
   * run is in flight. It is no part of what an idempotency key compares, but for its provider and its model.
   */
  model_access: z.optional(modelAccessSchema),
  /**
   * What the run may reach of the network: within its agent's policy, which is within the operator's limit. Left out: the
   * agent's policy, or nothing.
   */
  egress: z.optional(egressPolicyRequestSchema),
  /**
   * MCP servers whose tools the run has, by their names: reached by https, within what the run may reach of the network, and
   * without secrets. Of servers of one name the operator's wins. Only where the agent's model is the service's or brought.
   */
  mcp_servers: z.optional(mcpServersRequestSchema),
  ...bodyKey,
  max_turn_tokens: z.optional(z.int().check(z.minimum(0), z.maximum(MAX_TURN_TOKENS))),
  /** What the run and its children may cost in models, in US dollars, by the service's prices or the published ones. */
  max_cost_usd: z.optional(z.number().check(z.minimum(LEAST_MAX_COST_USD), z.maximum(MOST_MAX_COST_USD))),
  /** How long whoever asks waits for the run: it is wrapped up before that. It is not stopped by it. */
  time_limit_seconds: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_TIME_LIMIT_SECONDS))),
  /**
   * The path of the script that prepares the run's environment, in place of `.github/agent/setup.sh`, which is executed where
   * it exists; null executes none. It is read from the commit that writers agreed to: of a pull request, its base.
   */
  setup: z.optional(z.nullable(setupPathSchema)),
  /** A JSON Schema (2020-12) that the reply has to match; it then also comes as the event `output`. */
  output_schema: z.optional(
    boundedObject({ maxBytes: MAX_OUTPUT_SCHEMA_BYTES, maxDepth: MAX_OUTPUT_SCHEMA_DEPTH }),
  ),
});

export type SubmitRunRequest = z.infer<typeof submitRunRequestSchema>;

/** Query text in; `before` is the id of the run that the page comes after, `session_key` names the one session. */
export const listRunsQuerySchema = strictObject({
  before: z.optional(z.uuid()),
  session_key: z.optional(text(MAX_SESSION_KEY_CHARS)),
  limit: wholeNumber({ min: 1, max: MAX_PAGE_RUNS, fallback: DEFAULT_PAGE_RUNS }),
});
