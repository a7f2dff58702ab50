// Requests about runs: the one to submit a run, and the query of a list. Pure.

import * as z from "zod/mini";
import { egressPolicyRequestSchema } from "../egress.ts";
import { field, strictObject } from "../field.ts";
import { bodyKey, boundedObject, text, wholeNumber } from "../fields.ts";
import { aboutRequestSchema } from "./about.ts";
import { MAX_ATTEMPTS, MAX_MODEL_CHARS } from "./attempts.ts";
import { serverAccessesSchema } from "./mcp-auth.ts";
import { mcpServersRequestSchema } from "./mcp-servers.ts";
import { modelAccessSchema } from "./model-access.ts";
import { pullRequestSchema } from "./pull-request.ts";
import { typedOutputsSchema } from "./typed-outputs.ts";

export const MAX_SETUP_PATH_CHARS = 255;

/** Folders and a file: letters, digits and `.` `_` `@` `+` `-`. */
export const setupPathPattern = /^[\w.@+-]+(?:\/[\w.@+-]+)*$/;

const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024;
const MAX_OUTPUT_SCHEMA_DEPTH = 64;
export const MAX_TURN_TOKENS = 5_000_000;
/** In US dollars. */
export const LEAST_MAX_COST_USD = 0.01;
export const MOST_MAX_COST_USD = 10_000;
const MAX_TIME_LIMIT_SECONDS = 7 * 24 * 60 * 60;
const setupPathSchema = z.string().check(z.maxLength(MAX_SETUP_PATH_CHARS), z.regex(setupPathPattern));

const MAX_RESUME_MESSAGE_CHARS = 100_000;
const MAX_SESSION_KEY_CHARS = 255;
export const MAX_FORK_TURN = 1_000_000;
export const MAX_PAGE_RUNS = 100;
const DEFAULT_PAGE_RUNS = 50;

const messageRoles = ["system", "user", "assistant", "tool"] as const;
const partTypes = ["text", "image", "file"] as const;

/** Of one image, in base 64: three megabytes. */
export const MAX_PART_DATA_CHARS = 4_000_000;

export const partSchema = strictObject({
  type: field(z.enum(partTypes), "What it is."),
  path: field(z.optional(z.string()), "Where it is in the checkout; with `data`, what it is called."),
  data: field(
    z.optional(z.string().check(z.maxLength(MAX_PART_DATA_CHARS))),
    "With `image`: the image itself in base 64 (PNG, JPEG, GIF or WebP), shown to a model that can see. It is in no event, and not shown again to later runs of the session.",
  ),
  mime: field(z.optional(z.string()), "Its media type."),
  w: field(z.optional(z.int()), "Its width in pixels."),
  h: field(z.optional(z.int()), "Its height in pixels."),
});

export const messageSchema = strictObject({
  role: field(z.enum(messageRoles), "Who says it."),
  content: field(z.string(), "What is said."),
  tool_call_id: field(z.optional(z.string()), "The tool call that it answers."),
  parts: field(z.optional(z.array(partSchema)), "What it is made of beside text."),
});

export type Message = z.infer<typeof messageSchema>;

/** Exactly one of `message` and `messages` is needed; `messages` wins when both are sent, and `message` is not read. */
export const submitRunRequestSchema = strictObject({
  message: field(
    z.optional(z.string()),
    "What the agent is asked, as the one message of its user. Not read when `messages` is sent.",
  ),
  messages: field(
    z.optional(z.array(messageSchema).check(z.minLength(1))),
    "What the agent is asked, as a list of messages. It wins when both are sent.",
  ),
  session_id: field(
    z.optional(text(255)),
    "The session to continue. With neither this nor `session_key` the run begins one.",
  ),
  // It ends with the claim: after a release of the agent the same key begins a new session. Runs of one session that
  // change files take turns: each begins when the ones before it have ended.
  session_key: field(
    z.optional(text(MAX_SESSION_KEY_CHARS)),
    "Names the session by a key of the caller's own, instead of `session_id`: the first run with the key begins it, every later one continues it. Keys belong to the agent: whoever may submit runs of it reaches each of its sessions by the key. A key keeps sessions apart and protects nothing: make it of what the CI vouches for, such as the number of an issue, and not of text that an outsider wrote.",
  ),
  new_session: field(
    z.optional(z.boolean()),
    "With `session_key`: begins the session anew, and the key names that one from then on.",
  ),
  pull_request: field(
    z.optional(pullRequestSchema),
    "Only for a CI job: the pull request whose head the run works on, instead of the job's commit.",
  ),
  // No part of what an idempotency key compares, but for its provider and its model.
  model_access: field(
    z.optional(modelAccessSchema),
    "Only for a CI job: the access to a model that the run uses instead of the service's. The repository's account at the provider pays for its tokens. It is kept until the run ends, and in no answer, event or log.",
  ),
  egress: field(
    z.optional(egressPolicyRequestSchema),
    "What the run may reach of the network: `none`, `setup` (package registries while the run's setup executes), `registries`, or a list of host names, in which `setup` and `registries` may stand too. What the agent's policy or the operator does not allow is left out, and the event `egress` says so. Left out: the agent's policy, or nothing.",
  ),
  mcp_servers: field(
    z.optional(mcpServersRequestSchema),
    "MCP servers whose tools the run has, by their names: reached by https, within what the run may reach of the network, and without secrets. `tools` lists those that are offered, with `*` for any characters. Of servers of one name the operator's wins.",
  ),
  // No part of what an idempotency key compares, but for the names.
  mcp_access: field(
    z.optional(serverAccessesSchema),
    "Only for a CI job: access tokens for the servers of `mcp_servers` that have `auth`, by their names. Each is sent to that server alone, is kept until the run ends, and is in no answer, event or log.",
  ),
  ...bodyKey,
  max_turn_tokens: field(
    z.optional(z.int().check(z.minimum(0), z.maximum(MAX_TURN_TOKENS))),
    "Tokens that the run and its children may use; 0 or left out: the default. Input from a cache counts by its price relative to other input.",
  ),
  max_cost_usd: field(
    z.optional(z.number().check(z.minimum(LEAST_MAX_COST_USD), z.maximum(MOST_MAX_COST_USD))),
    "What the models of the run and its children may cost, in US dollars: by the service's prices, or by those that the models' makers publish. It holds before each call. Refused for a model without a known price. Left out: the service's default, or no limit.",
  ),
  time_limit_seconds: field(
    z.optional(z.int().check(z.minimum(1), z.maximum(MAX_TIME_LIMIT_SECONDS))),
    "How long whoever asks waits for the run: the model is told to finish before that. The run is not stopped by it, and the service's own limit holds. It is no part of what an idempotency key compares.",
  ),
  // No part of what an idempotency key compares.
  may_park: field(
    z.optional(z.boolean()),
    "True: where the run asks a question, reaches a limit that can be raised, or its model's provider is away for long, it is parked instead of ended. It stays `running`, with `parked` beside it, costs nothing while it waits, and goes on by `POST …/resume` or by the next message of its session. Left out: it ends.",
  ),
  // No part of what an idempotency key compares.
  delivers: field(
    z.optional(z.literal(true)),
    "Only for a CI job: it is to report what it did with the results (`PUT /v1/ci/runs/{runID}/delivery`). Until then the run's `delivery` is `expected`.",
  ),
  // No part of what an idempotency key compares.
  about: field(
    z.optional(aboutRequestSchema),
    "Only for a CI job: what its request is about, for lists of runs. It is shown as the job's word, and the run itself does not see it.",
  ),
  best_of: field(
    z.optional(z.int().check(z.minimum(1), z.maximum(MAX_ATTEMPTS))),
    "Attempts at the same task, each a child run with a copy of the files of its own. The service executes the repository's own checks on the changes of each; among those that pass, or where none does, a judge chooses. The run has the reply and the changes of the chosen one, and its limits hold for all attempts and the judge together. Only for runs of the built-in agent on a repository. Left out: as many as `best_of_models` names, or 1.",
  ),
  best_of_models: field(
    z.optional(z.array(text(MAX_MODEL_CHARS)).check(z.minLength(1), z.maxLength(MAX_ATTEMPTS))),
    "The models of the attempts, in turn: models of the service. With fewer models than attempts they are asked again from the first. Left out: the agent's model for each.",
  ),
  setup: field(
    z.optional(z.nullable(setupPathSchema)),
    "The script of the repository that is executed before the agent, in place of `.github/agent/setup.sh`; null executes none. It is read from the commit that writers agreed to: of a pull request, its base.",
  ),
  output_schema: field(
    z.optional(boundedObject({ maxBytes: MAX_OUTPUT_SCHEMA_BYTES, maxDepth: MAX_OUTPUT_SCHEMA_DEPTH })),
    "A JSON Schema (2020-12) that the reply has to match; the reply then also comes as the event `output`.",
  ),
  outputs: field(
    z.optional(typedOutputsSchema),
    "Only for a CI job: what the run may ask the job to write once it has ended, each a tool of the run's model. What it asks for comes as events `typed_output`, and the service writes nothing of it.",
  ),
});

/** The body of `runs.submit`: a message, and the bounds and permissions of the run. */
export type SubmitRunRequest = z.infer<typeof submitRunRequestSchema>;

/** What a parked run goes on with. */
export const resumeRunRequestSchema = strictObject({
  message: field(
    z.optional(text(MAX_RESUME_MESSAGE_CHARS)),
    "The answer to its question, or what else the agent is told. Needed where the run waits for an answer.",
  ),
  max_turn_tokens: submitRunRequestSchema.shape.max_turn_tokens,
  max_cost_usd: submitRunRequestSchema.shape.max_cost_usd,
});

export type ResumeRunRequest = z.infer<typeof resumeRunRequestSchema>;

/** A new run that begins at a turn of another one. */
export const forkRunRequestSchema = strictObject({
  turn: field(
    z.int().check(z.minimum(1), z.maximum(MAX_FORK_TURN)),
    "The turn that is made anew: the fork has the conversation and the files as they were before its request. The run's page lists the turns that are kept, as does the refusal of one that is not.",
  ),
  message: field(
    z.optional(text(MAX_RESUME_MESSAGE_CHARS)),
    "What the agent is told before that turn. Left out: nothing.",
  ),
  model: field(
    z.optional(text(MAX_MODEL_CHARS)),
    "The model of the fork, one of the service's. Left out: the agent's.",
  ),
  max_turn_tokens: field(
    submitRunRequestSchema.shape.max_turn_tokens,
    "Tokens that the fork and its children may use; what the other run has used does not count. Left out: as that run.",
  ),
  max_cost_usd: field(
    submitRunRequestSchema.shape.max_cost_usd,
    "What the models of the fork and its children may cost, in US dollars; what the other run has used does not count. Left out: as that run.",
  ),
  ...bodyKey,
});

export type ForkRunRequest = z.infer<typeof forkRunRequestSchema>;

/** Query text in; `before` is the id of the run that the page comes after, `session_key` names the one session. */
export const listRunsQuerySchema = strictObject({
  before: field(z.optional(z.uuid()), "The id of the run that the page comes after."),
  session_key: field(
    z.optional(text(MAX_SESSION_KEY_CHARS)),
    "Only the runs of the session that this key names.",
  ),
  limit: field(wholeNumber({ min: 1, max: MAX_PAGE_RUNS, fallback: DEFAULT_PAGE_RUNS }), "Runs at most."),
});
