// Rates and allowances of each plan, as the operator sets them in one file. Pure.

import type { GivenPrice } from "../../../contract/models/model-price.ts";
import { type Plan, plans } from "./plan.ts";

declare module "../core.ts" {
  interface Core {
    readonly rates: Rates;
  }
}

/** The largest weight of a plan in the queue. */
export const MAX_PLAN_WEIGHT = 100;
/** Of billing accounts without a plan: the free credits of a repository's owner. */
export const WEIGHT_WITHOUT_PLAN = 1;

/** The weights of accounts in the queue, by their plans. */
export type PlanWeights = Readonly<Record<Plan, number>>;

type PlanTerms = {
  /** Credits that an account of the plan begins with. */
  readonly firstCredits: number;
  /** Agents that an account may have; null is any number. */
  readonly maxAgents: number | null;
  /** Workspaces that an account may have; null is any number. */
  readonly maxWorkspaces: number | null;
  /** Runs of all the account's agents that may be in flight; null is any number. */
  readonly maxConcurrentRuns: number | null;
  /** An account of weight 3 has three workers where one of weight 1 has one. From 1 to `MAX_PLAN_WEIGHT`. */
  readonly weight: number;
  /** False: only models that are free-tier eligible. */
  readonly mayUsePaidModels: boolean;
};

export type TokenPrices = {
  readonly inNanoUsdPerToken: number;
  /** Input that the provider had in its cache; at most what other input costs. Default: the same as other input. */
  readonly cachedInNanoUsdPerToken?: number;
  /** Input that the provider puts into its cache. Default: the same as other input. */
  readonly cacheWriteNanoUsdPerToken?: number;
  readonly outNanoUsdPerToken: number;
};

export type ModelRate = TokenPrices & { readonly id: string; readonly isFreeTierEligible: boolean };

export type ToolRate = {
  readonly tool: string;
  readonly mode: "free" | "per_call";
  readonly credits: number;
  readonly freePerMonth: number;
  readonly note: string;
};

export type Rates = {
  readonly lowCreditThreshold: number;
  readonly plans: Readonly<Record<Plan, PlanTerms>>;
  /** Packs of credits that can be bought. */
  readonly packs: readonly { readonly id: string; readonly usdCents: number; readonly credits: number }[];
  readonly subscriptions: readonly {
    readonly id: string;
    readonly usdCents: number;
    readonly monthlyCredits: number;
  }[];
  readonly modelNote: string;
  /** Model slugs that accounts may name. */
  readonly models: readonly [ModelRate, ...ModelRate[]];
  /** The price of any other model: nothing where the operator set no prices; else it is not asked. */
  readonly otherModels: "free" | "refused";
  /** What the operator says that this model costs, where the rates have no prices. Nobody is charged by it. */
  readonly modelPrice?: GivenPrice & { readonly model: string };
  readonly modelTiers: readonly ModelRate[];
  /** The highest price of output that the free tier allows, in nano-USD a token. */
  readonly freeMaxModelOutNanoUsdPerToken: number;
  readonly tools: readonly ToolRate[];
  readonly allowanceReset: string;
  readonly workflow: {
    readonly execCredits: number;
    readonly includedSeconds: number;
    readonly longRunCreditsPerMinute: number;
    readonly note: string;
  };
};

export function planWeights({ plans: terms }: Pick<Rates, "plans">): PlanWeights {
  return { registered_free: terms.registered_free.weight, subscribed: terms.subscribed.weight };
}

/** False where all plans have the weight of those that have none: nobody's plan has to be read. */
export function hasWeights(weights: PlanWeights): boolean {
  return plans.some((plan) => weights[plan] !== WEIGHT_WITHOUT_PLAN);
}

export function findModelRate({ models }: Pick<Rates, "models">, modelId: string): ModelRate | undefined {
  return models.find(({ id }) => id === modelId);
}

/** False for a model that this service may not ask: it would be free, though the others are paid. */
export function isPriced(rates: Pick<Rates, "models" | "otherModels">, modelId: string): boolean {
  return rates.otherModels === "free" || findModelRate(rates, modelId) !== undefined;
}
