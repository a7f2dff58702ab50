// Decodes text columns. Throws on a value that no version of this service wrote. Pure.

import * as z from "zod/mini";
import { type CiPolicy, ciPolicySchema } from "../../contract/agents/ci-policy.ts";
import { visibilities } from "../../contract/ci/exchange.ts";
import type { EgressEntries } from "../../contract/egress.ts";
import { federatingProviders } from "../../contract/models/providers.ts";
import { subjectTypes } from "../../contract/runs/about.ts";
import { checksStates } from "../../contract/runs/checks.ts";
import { reportDeliveryRequestSchema } from "../../contract/runs/delivery.ts";
import { mcpServersRequestSchema } from "../../contract/runs/mcp-servers.ts";
import { commitOrigins, parkStops } from "../../contract/runs/run.ts";
import { messageSchema, partSchema } from "../../contract/runs/run-requests.ts";
import { typedOutputsSchema } from "../../contract/runs/typed-outputs.ts";
import type { CommitPlace, JobIdentity } from "../core/ci-jobs/job-identity.ts";
import type { PullRequestHead } from "../core/commits/run-commit.ts";
import type { RunPrice } from "../core/money/run-price.ts";
import { providerFailures } from "../core/runs/failure.ts";
import {
  type ParkedState,
  type RunDelivery,
  type RunInput,
  raceRoles,
  type ShownAbout,
  type ShownCommit,
} from "../core/runs/run-record.ts";
import { boundedUsage, modelRoles, type Usage } from "../core/runs/usage.ts";

/** Of texts that are read again and again. What is returned is shared. */
const MAX_REMEMBERED = 1_000;

/** The same decoder, which decodes the same text once. */
function remembered<Value extends object>(decode: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = decode(text);
    if (values.size >= MAX_REMEMBERED) values.clear();
    values.set(text, value);
    return value;
  };
}

/** A schema a field of a record, those that may be absent too: one that is forgotten does not compile. */
type Fields<Of> = Readonly<Record<keyof Of, z.ZodMiniType>>;

const commitPlaceSchema = z.object({
  provider: z.string(),
  issuer: z.string(),
  repository: z.object({
    id: z.string(),
    ownerId: z.string(),
    name: z.string(),
    visibility: z.enum(visibilities),
  }),
  sha: z.string(),
  ref: z.string(),
  event: z.string(),
  baseRef: z.nullable(z.string()),
  cloneUrl: z.string(),
});

const jobIdentitySchema = z.extend(commitPlaceSchema, {
  actorId: z.nullable(z.string()),
  workflow: z.nullable(z.string()),
  runId: z.string(),
  runAttempt: z.string(),
  defaultBranch: z.exactOptional(z.string()),
} satisfies Fields<Omit<JobIdentity, keyof CommitPlace>>);

/** Open: a newer version may have written fields that this one does not know. */
const storedMessageSchema = z.object({
  ...messageSchema.shape,
  parts: z.optional(z.array(z.object(partSchema.shape))),
});

const runInputSchema = z.object({
  messages: z.array(storedMessageSchema),
  maxTurnTokens: z.int(),
  maxCostMicroUsd: z.exactOptional(z.int()),
  dayCap: z.exactOptional(z.object({ askedMicroUsd: z.nullable(z.int()) })),
  timeLimitMs: z.exactOptional(z.int()),
  hasThread: z.exactOptional(z.literal(true)),
  mayPark: z.exactOptional(z.literal(true)),
  uncountedMs: z.exactOptional(z.number()),
  retried: z.exactOptional(z.lazy(() => parkedSchema)),
  forkOf: z.exactOptional(z.object({ runId: z.string(), turn: z.int() })),
  model: z.exactOptional(z.string()),
  bestOf: z.exactOptional(z.object({ attempts: z.int(), models: z.array(z.string()) })),
  raceRole: z.exactOptional(z.enum(raceRoles)),
  outputSchema: z.optional(z.record(z.string(), z.unknown())),
  setup: z.optional(z.nullable(z.string())),
  job: z.nullable(jobIdentitySchema),
  commit: z.exactOptional(z.object({ from: z.enum(commitOrigins), place: commitPlaceSchema })),
  pullRequest: z.optional(
    z.object({
      number: z.int(),
      headRef: z.string(),
      headSha: z.string(),
      baseRef: z.string(),
      baseSha: z.exactOptional(z.string()),
    } satisfies Fields<PullRequestHead>),
  ),
  workflow: z.optional(z.object({ id: z.string(), version: z.int(), input: z.nullable(z.string()) })),
  modelAccess: z.optional(
    z.object({
      provider: z.enum(federatingProviders),
      model: z.string(),
      address: z.exactOptional(z.record(z.string(), z.string())),
      heldBy: z.string(),
      firstExpiresAt: z.int(),
    }),
  ),
  egress: z.optional(z.array(z.string())),
  mcpServers: z.optional(mcpServersRequestSchema),
  mcpAccess: z.exactOptional(z.object({ heldBy: z.string(), servers: z.array(z.string()) })),
  outputs: z.exactOptional(typedOutputsSchema),
  workspace: z.optional(
    z.object({
      workspaceId: z.string(),
      copyId: z.nullable(z.string()),
      taskGroupId: z.nullable(z.string()),
      workerId: z.nullable(z.string()),
    }),
  ),
  traceparent: z.optional(z.string()),
} satisfies Fields<RunInput>);

/** A job's identity is in each of its capabilities, which every request reads again. */
export const parseJob = remembered((text): JobIdentity => jobIdentitySchema.parse(JSON.parse(text)));

const shownCommitSchema = z.object({
  from: z.enum(commitOrigins),
  sha: z.string(),
  ref: z.string(),
});

export function parseShownCommit(text: string): ShownCommit {
  return shownCommitSchema.parse(JSON.parse(text));
}

export function parseRunInput(text: string): RunInput {
  return runInputSchema.parse(JSON.parse(text));
}

/** Earlier versions stored what a model's server had said of its usage, whatever it was. */
const storedAmount = z.catch(z.number(), Number.NaN);

const roleUsageSchema = z.pipe(
  z.object({
    tokens: storedAmount,
    calls: storedAmount,
    microUsd: storedAmount,
    isEstimated: z.exactOptional(z.literal(true)),
  }),
  z.transform(boundedUsage),
);

const budgetUseSchema = z.object({
  countedTokens: z.int(),
  inputTokens: z.int(),
  cachedInputTokens: z.int(),
  costMicroUsd: z.nullable(z.int()),
  maxTokens: z.nullable(z.int()),
  maxCostMicroUsd: z.nullable(z.int()),
});

const modelUsageSchema = z.object({
  model: z.string(),
  calls: z.int(),
  inputTokens: z.int(),
  cachedInputTokens: z.int(),
  outputTokens: z.int(),
  costMicroUsd: z.nullable(z.int()),
});

const usageSchema = z.object({
  roles: z.partialRecord(z.enum(modelRoles), roleUsageSchema),
  models: z.exactOptional(z.array(modelUsageSchema)),
  advisor: z.nullable(z.object({ callsAllowed: z.int(), spendCapMicroUsd: z.nullable(z.int()) })),
  budget: z.exactOptional(budgetUseSchema),
});

export const parseUsage = remembered((text): Usage => usageSchema.parse(JSON.parse(text)));

const parkedFields = {
  since: z.int(),
  until: z.int(),
  usage: usageSchema,
  workedMs: z.number(),
  nextTryAt: z.exactOptional(z.int()),
  tries: z.exactOptional(z.int()),
  checks: z.exactOptional(z.enum(checksStates)),
};

const parkedSchema = z.union([
  z.object({ ...parkedFields, reason: z.enum([...parkStops, "day_cap"]) }),
  z.object({
    ...parkedFields,
    reason: z.literal("provider_unavailable"),
    failure: z.object({ reason: z.enum(providerFailures), message: z.string() }),
  }),
]);

export function parseParked(text: string): ParkedState {
  return parkedSchema.parse(JSON.parse(text));
}

const aboutSchema = z.object({
  personId: z.exactOptional(z.string()),
  actor: z.exactOptional(z.string()),
  event: z.exactOptional(z.string()),
  provider: z.exactOptional(z.string()),
  repository: z.exactOptional(z.string()),
  cloneUrl: z.exactOptional(z.string()),
  ref: z.exactOptional(z.string()),
  sha: z.exactOptional(z.string()),
  subject: z.exactOptional(z.object({ type: z.enum(subjectTypes), number: z.int() })),
} satisfies Fields<ShownAbout>);

export function parseAbout(text: string): ShownAbout {
  return aboutSchema.parse(JSON.parse(text));
}

const deliverySchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("expected") }),
  z.object({
    state: z.literal("reported"),
    at: z.int(),
    by: z.string(),
    report: reportDeliveryRequestSchema,
  }),
]);

export function parseDelivery(text: string): RunDelivery {
  return deliverySchema.parse(JSON.parse(text));
}

const runPriceSchema = z.object({ feeMicroUsd: z.int(), includedMs: z.int(), microUsdPerMinute: z.int() });

export function parseRunPrice(text: string): RunPrice {
  return runPriceSchema.parse(JSON.parse(text));
}

export const parseConfig = remembered(
  (text): Record<string, unknown> => z.record(z.string(), z.unknown()).parse(JSON.parse(text)),
);

export const parseEgress = remembered((text): EgressEntries => z.array(z.string()).parse(JSON.parse(text)));

export const parseCiPolicy = remembered((text): CiPolicy => ciPolicySchema.parse(JSON.parse(text)));

const namesSchema = z.array(z.string());

export function parseNames(text: string): readonly string[] {
  return namesSchema.parse(JSON.parse(text));
}

const countsSchema = z.record(z.string(), z.int());

export function parseCounts(text: string): Readonly<Record<string, number>> {
  return countsSchema.parse(JSON.parse(text));
}
