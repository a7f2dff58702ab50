// The fields of a request, as the run's input, and as what an idempotency key compares. Pure.

import { entriesOf, policyOf } from "../../../contract/egress.ts";
import { identifiersIn, type ModelAccess } from "../../../contract/runs/model-access.ts";
import type { Message } from "../../../contract/runs/run-requests.ts";
import type { RunModelAccess } from "../model-access/kept-access.ts";
import type { RunInput } from "./run-record.ts";
import type { AdmissionRequest, RunFork, Submission } from "./submission.ts";

const MICRO_PER_USD = 1_000_000;

type Body = Submission["body"];
type Given<Field extends keyof Body> = Exclude<Body[Field], undefined>;

/** The part of the run's input that a field gives. Null: nothing, or what is decided by more than the field itself. */
type InputOf<Field extends keyof Body> = ((given: Given<Field>, runId: string) => Partial<RunInput>) | null;

/** Every field of a request: one that is not here does not compile. */
const inputOf: { readonly [Field in keyof Required<Body>]: InputOf<Field> } = {
  message: null,
  messages: null,
  idempotency_key: null,
  session_id: null,
  session_key: () => ({ hasThread: true }),
  new_session: null,
  // Its ref is the code host's.
  pull_request: null,
  // The owner's cap of the day may leave less of it.
  max_cost_usd: null,
  // One with the other: see `bestOfIn`.
  best_of: null,
  best_of_models: null,
  max_turn_tokens: (maxTurnTokens) => ({ maxTurnTokens }),
  time_limit_seconds: (seconds) => ({ timeLimitMs: seconds * 1000 }),
  may_park: (mayPark) => (mayPark ? { mayPark } : {}),
  // Of the record.
  delivers: null,
  about: null,
  setup: (setup) => ({ setup }),
  output_schema: (outputSchema) => ({ outputSchema }),
  egress: (egress) => ({ egress: entriesOf(egress) }),
  mcp_servers: (mcpServers) => ({ mcpServers }),
  // The tokens are stored elsewhere.
  mcp_access: (accesses, runId) => ({ mcpAccess: { heldBy: runId, servers: Object.keys(accesses) } }),
  outputs: (outputs) => ({ outputs }),
  model_access: (access, runId) => ({ modelAccess: broughtBy(runId, access) }),
};

/** The part of the run's input that the request's own fields give. */
export function requestedInput(body: Body, runId: string): Partial<RunInput> {
  const fields = Object.keys(inputOf) as (keyof Body)[];
  return Object.assign({}, ...fields.map((field) => inputOfField(body, field, runId)));
}

function inputOfField<Field extends keyof Body>(body: Body, field: Field, runId: string): Partial<RunInput> {
  const given = body[field];
  const read: InputOf<Field> = inputOf[field];
  return given === undefined || read === null ? {} : read(given as Given<Field>, runId);
}

/** A field of a request as the run's input has it. Null: it is of its job or of its session, or of no request for the same. */
type FieldOf<Field extends keyof Body> = ((input: RunInput) => Body[Field]) | null;

/** Every field of a request, for the same once more: one that is not here does not compile. */
const askedAgain: { readonly [Field in keyof Required<Body>]: FieldOf<Field> } = {
  message: null,
  messages: ({ messages }) => [...messages],
  idempotency_key: null,
  session_id: null,
  session_key: null,
  new_session: null,
  pull_request: null,
  max_cost_usd: ({ maxCostMicroUsd: cost }) => (cost === undefined ? undefined : cost / MICRO_PER_USD),
  best_of: ({ bestOf }) => bestOf?.attempts,
  best_of_models: ({ bestOf }) =>
    bestOf === undefined || bestOf.models.length === 0 ? undefined : [...bestOf.models],
  max_turn_tokens: ({ maxTurnTokens }) => maxTurnTokens,
  time_limit_seconds: ({ timeLimitMs }) =>
    timeLimitMs === undefined ? undefined : Math.ceil(timeLimitMs / 1000),
  may_park: ({ mayPark }) => mayPark,
  delivers: null,
  about: null,
  setup: ({ setup }) => setup,
  output_schema: ({ outputSchema }) => outputSchema,
  egress: ({ egress }) => (egress === undefined ? undefined : policyOf(egress)),
  mcp_servers: ({ mcpServers }) => mcpServers,
  mcp_access: null,
  outputs: null,
  model_access: null,
};

/** A request for the same once more, as far as the run's input has it: nothing that belongs to its job, or to its session. */
export function bodyOf(input: RunInput): Body {
  const fields = Object.entries(askedAgain).map(([field, read]) => [field, read?.(input)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** The part of the access that is stored with the run's input: not the token. */
function broughtBy(runId: string, { provider, model, address, expires_at }: ModelAccess): RunModelAccess {
  const place = address === undefined ? {} : { address: identifiersIn(address) };
  return { provider, model, ...place, heldBy: runId, firstExpiresAt: Date.parse(expires_at) };
}

/** The messages of the request; null when it has neither `message` nor `messages`. */
export function messagesOf(body: Body): readonly Message[] | null {
  if (body.messages !== undefined) return body.messages;
  return body.message === undefined || body.message === "" ? null : [{ role: "user", content: body.message }];
}

/** The same of a request to fork a run. */
export function comparedFork({ runId, asked }: Pick<RunFork, "runId" | "asked">): unknown {
  return { fork: runId, ...asked };
}

/**
 * Equal for two requests that ask for the same. A field of the request is compared as it is, unless it is named here; one that a
 * request has not is left out, so that old keys go on.
 */
export function comparedOf({
  messages,
  body,
  workflow,
  workspace,
  fork,
}: Pick<AdmissionRequest, "messages" | "body" | "workflow" | "workspace" | "fork">): unknown {
  if (fork !== undefined) return comparedFork(fork);
  const {
    // Compared as what they say.
    message: _message,
    messages: _messages,
    // A later try of the same has less time.
    time_limit_seconds: _seconds,
    // A job of a newer version of the action asks for the same.
    may_park: _mayPark,
    delivers: _delivers,
    about: _about,
    new_session,
    max_turn_tokens,
    egress,
    model_access: access,
    mcp_access: accesses,
    ...asTheyAre
  } = body;
  return {
    ...asTheyAre,
    // The message of an execution changes with the active version, its request does not.
    said: workflow === undefined ? messages : { workflow: workflow.id, input: workflow.input },
    new_session: new_session === true,
    max_turn_tokens: max_turn_tokens ?? 0,
    // A worker gets its id with its run.
    workspace: workspace === undefined ? undefined : { ...workspace, workerId: null },
    egress: egress === undefined ? undefined : entriesOf(egress),
    // The tokens are others for each request.
    mcp_access: accesses === undefined ? undefined : Object.keys(accesses).sort(),
    model_access:
      access === undefined
        ? undefined
        : { provider: access.provider, model: access.model, address: access.address },
  };
}
