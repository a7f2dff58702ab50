// Bounds of a run of a model: the length of an answer that fits into what is left, the part that is kept for the turn that wraps
// it up, when that turn has come, and when the model is told what is left. Pure.

import { assertNever } from "../../../../base/assert-never.ts";
import type { StopReason } from "../../../../contract/runs/run.ts";
import {
  countedTokens,
  type ModelPrices,
  mostCostOfCall,
  outputPrice,
} from "../../../core/money/call-price.ts";
import type { BudgetAmount, BudgetRoom } from "../../run-budget.ts";

/** The shortest answer that is worth a request. */
export const LEAST_OUTPUT_TOKENS = 512;
/** The least answer of the turn that wraps a run up, and the part of the conversation that it may be shown. */
const WRAP_UP_OUTPUT_TOKENS = 2_000;
const WRAP_UP_INPUT_TOKENS = 8_000;
const NANO_PER_MICRO = 1_000;

/** The time before its deadline at which a run is wrapped up: at most this, at most a quarter of its time. */
const MAX_WRAP_UP_MS = 120_000;
const WRAP_UP_SHARE = 0.25;

/** The shares of a bound at whose use the model is told what is left. */
const NOTICE_SHARES = [0.5, 0.75, 0.9] as const;

export type BudgetBound = "max_tokens" | "max_cost";

export type CallSize = {
  /** All of it is taken as fresh: nobody knows yet what the cache has. */
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
};

type PlannedAnswer =
  | { readonly ok: true; readonly maxOutputTokens: number; readonly shortOf: BudgetBound | null }
  | { readonly ok: false; readonly bound: BudgetBound };

/** The longest answer, up to the one that is asked for, that fits into `room` beside what is `kept`. */
export function planAnswer(
  { inputTokens, maxOutputTokens }: CallSize,
  {
    room,
    kept,
    prices,
  }: { readonly room: BudgetRoom; readonly kept: BudgetAmount; readonly prices: ModelPrices | null },
): PlannedAnswer {
  const least = Math.min(LEAST_OUTPUT_TOKENS, maxOutputTokens);
  const byTokens = Math.floor(
    room.tokens - kept.tokens - mostOfCall({ inputTokens, maxOutputTokens: 0 }, prices).tokens,
  );
  if (byTokens < least) return { ok: false, bound: "max_tokens" };
  const byCost = outputByCost(inputTokens, { room, kept, prices });
  if (byCost < least) return { ok: false, bound: "max_cost" };
  const output = Math.min(maxOutputTokens, byTokens, byCost);
  if (output === maxOutputTokens) return { ok: true, maxOutputTokens, shortOf: null };
  return { ok: true, maxOutputTokens: output, shortOf: byCost < byTokens ? "max_cost" : "max_tokens" };
}

function outputByCost(
  input: number,
  {
    room,
    kept,
    prices,
  }: { readonly room: BudgetRoom; readonly kept: BudgetAmount; readonly prices: ModelPrices | null },
): number {
  if (room.microUsd === null) return Number.POSITIVE_INFINITY;
  // A model without a price cannot be held to a bound in dollars.
  if (prices === null) return 0;
  const left = room.microUsd - kept.microUsd - mostCostOfCall(prices, { input, output: 0 });
  if (left < 0) return 0;
  const each = outputPrice(prices, input);
  return each === 0 ? Number.POSITIVE_INFINITY : Math.floor((left * NANO_PER_MICRO) / each);
}

/** The most that a call takes of a budget: all of its input may be new to the cache, and be written to it. */
export function mostOfCall(
  { inputTokens, maxOutputTokens }: CallSize,
  prices: ModelPrices | null,
): BudgetAmount {
  const fresh = { input: inputTokens, cachedInput: 0, cacheWrite: 0, output: maxOutputTokens };
  const written = { ...fresh, cacheWrite: inputTokens };
  return {
    tokens: Math.max(countedTokens(prices, fresh), countedTokens(prices, written)),
    microUsd: prices === null ? 0 : mostCostOfCall(prices, { input: inputTokens, output: maxOutputTokens }),
  };
}

/** The call that wraps a run up, at its smallest: what cannot be trimmed, the end of the conversation, a short answer. */
export function wrapUpCall(call: {
  readonly fixedTokens: number;
  readonly conversationTokens: number;
  readonly maxOutputTokens: number;
}): CallSize {
  return {
    inputTokens: call.fixedTokens + Math.min(call.conversationTokens, WRAP_UP_INPUT_TOKENS),
    maxOutputTokens: Math.min(call.maxOutputTokens, WRAP_UP_OUTPUT_TOKENS),
  };
}

/** True once so little of the run's time is left that it must be wrapped up. */
export function isLate({ leftMs, limitMs }: { readonly leftMs: number; readonly limitMs: number }): boolean {
  return leftMs <= Math.min(MAX_WRAP_UP_MS, limitMs * WRAP_UP_SHARE);
}

/** The note for the model before its last turn. */
export function wrapUpNote(bound: StopReason): string {
  return `[${boundText(bound)} Call no tool: answer now with what you know, say what is done and what is left undone.]`;
}

function boundText(bound: StopReason): string {
  switch (bound) {
    case "max_cost":
      return "The run's limit of cost is reached: you must finish now.";
    case "max_tokens":
      return "The run's limit of tokens is reached: you must finish now.";
    case "credits":
    case "insufficient_credits":
      return "The credits of the run are used up: you must finish now.";
    case "time_limit":
      return "The run's time is over: you must finish now.";
    default:
      return "No turn is left after this one.";
  }
}

export type BoundUse = {
  readonly turns: { readonly used: number; readonly limit: number };
  readonly tokens: { readonly used: number; readonly limit: number };
  /** In micro-USD; null without a limit. */
  readonly cost: { readonly used: number; readonly limit: number } | null;
};

/** Tells the model what is left when half, three quarters and nine tenths of a bound are used; each share once. */
export class UsageNotices {
  #told: number;

  constructor(told = 0) {
    this.#told = told;
  }

  /** The share that it was told of last. */
  get told(): number {
    return this.#told;
  }

  /** One line for the end of the conversation, where it spoils no cache; null when there is nothing new to say. */
  next(use: BoundUse): string | null {
    const shares = [use.turns, use.tokens, ...(use.cost === null ? [] : [use.cost])].map(shareOf);
    const reached = NOTICE_SHARES.filter((share) => shares.some((used) => used >= share)).at(-1) ?? 0;
    if (reached <= this.#told) return null;
    this.#told = reached;
    const left = (["turns", "tokens", "cost"] as const).flatMap((what) => leftText(what, use));
    return `[Left of this run: ${left.join(", ")}.]`;
  }
}

function leftText(what: keyof BoundUse, use: BoundUse): string[] {
  const bound = use[what];
  if (bound === null || !Number.isFinite(bound.limit)) return [];
  const left = Math.max(0, bound.limit - bound.used);
  switch (what) {
    case "turns":
      return [`${left} of ${bound.limit} turns`];
    case "tokens":
      return [`${Math.floor(left)} of ${bound.limit} tokens`];
    case "cost":
      return [`$${dollars(left)} of $${dollars(bound.limit)}`];
    default:
      return assertNever(what);
  }
}

function dollars(microUsd: number): string {
  return (microUsd / 1_000_000).toFixed(2);
}

function shareOf({ used, limit }: { readonly used: number; readonly limit: number }): number {
  return limit === 0 ? 1 : used / limit;
}
