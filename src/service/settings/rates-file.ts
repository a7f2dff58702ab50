// The operator's rates from one JSON file. It replaces default-rates.ts as a whole: nothing is merged.

import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { ok, type Result, refused } from "../../base/result.ts";
import { decodeBySchema, jsonInteger } from "../../base/settings/json-kinds.ts";
import { strictObject } from "../../base/strict-object.ts";
import { toolModes } from "../../contract/money/money.ts";
import { MAX_PLAN_WEIGHT, type ModelRate, type Rates } from "../core/money/rates.ts";
import { defaultRates } from "./default-rates.ts";

/** No amount is so large that arithmetic on it would not be exact. */
const MAX_AMOUNT = 1_000_000_000;

const whole = jsonInteger({ min: 0, max: MAX_AMOUNT });
const wholeOrNull = z.union(
  [whole, z.null()],
  `must be an integer from 0 to ${MAX_AMOUNT}, or null for any number`,
);
const flag = z.boolean("must be true or false");
const prose = z.string("must be text");
const name = z.string("must be text").check(z.minLength(1, "must not be empty"));

const planSchema = strictObject({
  first_credits: whole,
  max_agents: wholeOrNull,
  /** As `max_agents` unless told. */
  max_workspaces: z.optional(wholeOrNull),
  max_concurrent_runs: wholeOrNull,
  /** 1 unless told. */
  weight: z.optional(jsonInteger({ min: 1, max: MAX_PLAN_WEIGHT })),
  may_use_paid_models: flag,
});

const modelSchema = strictObject({
  id: name,
  in_nano_usd_per_tok: whole,
  /** As `in_nano_usd_per_tok` unless told. */
  cached_in_nano_usd_per_tok: z.optional(whole),
  /** As `in_nano_usd_per_tok` unless told. */
  cache_write_nano_usd_per_tok: z.optional(whole),
  out_nano_usd_per_tok: whole,
  free_tier_eligible: flag,
});

const toolSchema = strictObject({
  tool: name,
  mode: z.enum(toolModes, `must be one of ${toolModes.join(", ")}`),
  credits: whole,
  free_per_month: whole,
  note: prose,
}).check(
  z.refine(({ mode, credits }) => mode !== "free" || credits === 0, {
    path: ["credits"],
    error: 'must be 0 where the mode is "free"',
  }),
);

const ratesSchema = strictObject({
  low_credit_threshold: whole,
  plans: strictObject({ registered_free: planSchema, subscribed: planSchema }),
  packs: listOf(strictObject({ id: name, usd_cents: whole, credits: whole }), "id"),
  subscriptions: listOf(strictObject({ id: name, usd_cents: whole, monthly_credits: whole }), "id"),
  model_note: prose,
  models: listOf(modelSchema, "id").check(z.minLength(1, "must name a model")),
  model_tiers: listOf(modelSchema, "id"),
  free_max_model_out_nano_usd_per_tok: whole,
  tools: listOf(toolSchema, "tool"),
  allowance_reset: prose,
  workflow: strictObject({
    exec_credits: whole,
    included_seconds: whole,
    long_run_credits_per_minute: whole,
    note: prose,
  }),
});

/** The rates as an operator writes them. */
export type RatesDocument = z.infer<typeof ratesSchema>;

/** Reads the file. A refusal is every fault found, each one line that begins with its place. */
export function readRatesFile(path: string): Result<Rates, readonly string[]> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    return refused([`cannot be read (${code})`]);
  }
  try {
    return decodeRates(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch {
    return refused(["is not JSON"]);
  }
}

/** Decodes the parsed JSON of a rates file. */
export function decodeRates(value: unknown): Result<Rates, readonly string[]> {
  const decoded = decodeBySchema(ratesSchema, value);
  if (!decoded.ok) return refused(decoded.refusal.map((fault) => fault.replace(/^\./, "")));
  const document = decoded.value;
  const max = document.free_max_model_out_nano_usd_per_tok;
  const modelFaults = (["models", "model_tiers"] as const).flatMap((list) =>
    document[list].flatMap((model, index) =>
      faultsOfModel(model, max).map((fault) => `${list}[${index}].${fault}`),
    ),
  );
  const faults = [...modelFaults, ...document.tools.flatMap(faultsOfTool)];
  return faults.length > 0 ? refused(faults) : ok(toRates(document));
}

const toolNames = defaultRates.tools.map(({ tool }) => tool);

/** A published price that is never charged would not be true. */
function faultsOfTool({ tool, mode }: z.infer<typeof toolSchema>, index: number): string[] {
  if (mode === "free" || toolNames.includes(tool)) return [];
  return [
    `tools[${index}].tool must be one of ${toolNames.join(", ")} where the mode is "per_call", got ${JSON.stringify(tool)}`,
  ];
}

function faultsOfModel(model: z.infer<typeof modelSchema>, max: number): string[] {
  const { in_nano_usd_per_tok: input, cached_in_nano_usd_per_tok: cached = input } = model;
  const output = model.out_nano_usd_per_tok;
  return [
    ...(model.free_tier_eligible && output > max
      ? [
          `free_tier_eligible must be false: its output costs ${output}, the free tier takes ${max} at most (free_max_model_out_nano_usd_per_tok)`,
        ]
      : []),
    // What a call may cost is held before anybody knows how much of its input is cached.
    ...(cached > input
      ? [`cached_in_nano_usd_per_tok must be at most in_nano_usd_per_tok (${input}), got ${cached}`]
      : []),
  ];
}

function toRates(document: RatesDocument): Rates {
  const { plans, workflow } = document;
  const [defaultModel, ...models] = document.models.map(toModelRate);
  if (defaultModel === undefined) throw new TypeError("The schema let a file without a model pass.");
  return {
    lowCreditThreshold: document.low_credit_threshold,
    plans: { registered_free: toTerms(plans.registered_free), subscribed: toTerms(plans.subscribed) },
    packs: document.packs.map(({ id, usd_cents, credits }) => ({ id, usdCents: usd_cents, credits })),
    subscriptions: document.subscriptions.map(({ id, usd_cents, monthly_credits }) => ({
      id,
      usdCents: usd_cents,
      monthlyCredits: monthly_credits,
    })),
    modelNote: document.model_note,
    models: [defaultModel, ...models],
    otherModels: "refused",
    modelTiers: document.model_tiers.map(toModelRate),
    freeMaxModelOutNanoUsdPerToken: document.free_max_model_out_nano_usd_per_tok,
    tools: document.tools.map(({ free_per_month, ...tool }) => ({ ...tool, freePerMonth: free_per_month })),
    allowanceReset: document.allowance_reset,
    workflow: {
      execCredits: workflow.exec_credits,
      includedSeconds: workflow.included_seconds,
      longRunCreditsPerMinute: workflow.long_run_credits_per_minute,
      note: workflow.note,
    },
  };
}

function toTerms(plan: z.infer<typeof planSchema>) {
  return {
    firstCredits: plan.first_credits,
    maxAgents: plan.max_agents,
    maxWorkspaces: plan.max_workspaces === undefined ? plan.max_agents : plan.max_workspaces,
    maxConcurrentRuns: plan.max_concurrent_runs,
    weight: plan.weight ?? 1,
    mayUsePaidModels: plan.may_use_paid_models,
  };
}

function toModelRate(model: z.infer<typeof modelSchema>): ModelRate {
  const { cached_in_nano_usd_per_tok: cached, cache_write_nano_usd_per_tok: written } = model;
  return {
    id: model.id,
    inNanoUsdPerToken: model.in_nano_usd_per_tok,
    ...(cached === undefined ? {} : { cachedInNanoUsdPerToken: cached }),
    ...(written === undefined ? {} : { cacheWriteNanoUsdPerToken: written }),
    outNanoUsdPerToken: model.out_nano_usd_per_tok,
    isFreeTierEligible: model.free_tier_eligible,
  };
}

/** A list whose entries are each named once. */
function listOf<Entry extends z.ZodMiniType<Record<string, unknown>>>(entry: Entry, key: string) {
  return z.array(entry, "must be a list").check(
    z.refine((entries) => new Set(entries.map((one) => one[key])).size === entries.length, {
      error: `must name each ${key} once`,
    }),
  );
}
