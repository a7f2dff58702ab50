// The tokens and the US dollars that a run and all its children may use together. What is under way is reserved, so that calls
// and children at the same time stay within it.
// Why: docs/decisions/053-one-budget-a-run.md

import type { BudgetUse } from "../core/runs/usage.ts";

const DEFAULT_RUN_TOKENS = 1_000_000;
const UNPRICED_RUN_TOKENS = 5_000_000;

/**
 * The tokens of a run that names no number. An amount of money is the bound where there is one; where nobody knows what the model
 * costs, turns and time are.
 */
export function defaultRunTokens({
  maxCostMicroUsd,
  isPriced,
}: {
  readonly maxCostMicroUsd: number | null;
  readonly isPriced: boolean;
}): number {
  if (maxCostMicroUsd !== null) return Number.POSITIVE_INFINITY;
  return isPriced ? DEFAULT_RUN_TOKENS : UNPRICED_RUN_TOKENS;
}

/** Counted tokens, see core/money/call-price.ts, and micro-USD. */
export type BudgetAmount = { readonly tokens: number; readonly microUsd: number };

/** The rest of a budget; `microUsd` is null where there is no limit of cost. */
export type BudgetRoom = { readonly tokens: number; readonly microUsd: number | null };

/** The usage of one call; `microUsd` is null where its model has no known price. */
type CallUse = {
  readonly tokens: number;
  readonly microUsd: number | null;
  readonly input: number;
  readonly cachedInput: number;
};

/** Of what is left: a child that works alone leaves its parent a quarter, one of several gets a quarter. */
const LONE_CHILD_SHARE = 0.75;
const CHILD_SHARE = 0.25;
/** Less does not suffice for a child, nor does it leave its parent enough to wrap up. */
const LEAST_CHILD_TOKENS = 10_000;
const LEAST_CHILD_MICRO_USD = 10_000;

/** What a budget has counted. */
export type BudgetState = {
  readonly spent: BudgetAmount;
  readonly hasUnpriced: boolean;
  readonly input: number;
  readonly cachedInput: number;
  /** The ids of children whose use is part of it. */
  readonly children: readonly string[];
};

export type ChildShare = {
  readonly maxTurnTokens: number;
  /** Null: no limit of cost. */
  readonly maxCostMicroUsd: number | null;
};

export class RunBudget {
  #maxTokens: number;
  readonly #maxCostMicroUsd: number | null;
  #spent: BudgetAmount = { tokens: 0, microUsd: 0 };
  #hasUnpriced = false;
  #input = 0;
  #cachedInput = 0;
  readonly #reserved = new Map<object | string, BudgetAmount>();
  /** Children that are counted. */
  readonly #settled = new Set<string>();

  /** `maxTokens` 0: what the backend takes as its default. */
  constructor({ maxTokens, maxCostMicroUsd }: { maxTokens: number; maxCostMicroUsd: number | null }) {
    this.#maxTokens = maxTokens === 0 ? Number.POSITIVE_INFINITY : maxTokens;
    this.#maxCostMicroUsd = maxCostMicroUsd;
  }

  /** Without what is reserved. */
  get state(): BudgetState {
    return {
      spent: this.#spent,
      hasUnpriced: this.#hasUnpriced,
      input: this.#input,
      cachedInput: this.#cachedInput,
      children: [...this.#settled],
    };
  }

  /** Goes on from what another worker has counted. */
  resume({ spent, hasUnpriced, input, cachedInput, children }: BudgetState): void {
    this.#spent = spent;
    this.#hasUnpriced = hasUnpriced;
    this.#input = input;
    this.#cachedInput = cachedInput;
    for (const child of children) this.#settled.add(child);
  }

  /** Whether a share is reserved for this child, or its use is counted. */
  knows(childId: string): boolean {
    return this.#settled.has(childId) || this.#reserved.has(childId);
  }

  get maxTokens(): number {
    return this.#maxTokens;
  }

  get maxCostMicroUsd(): number | null {
    return this.#maxCostMicroUsd;
  }

  get spent(): BudgetAmount {
    return this.#spent;
  }

  /** Limits the tokens of a run that has no limit yet. */
  limitTokens(tokens: number): void {
    if (!Number.isFinite(this.#maxTokens)) this.#maxTokens = tokens;
  }

  /** The amount that is neither used nor reserved. */
  get room(): BudgetRoom {
    const reserved = [...this.#reserved.values()].reduce(sum, { tokens: 0, microUsd: 0 });
    return {
      tokens: this.#maxTokens - this.#spent.tokens - reserved.tokens,
      microUsd:
        this.#maxCostMicroUsd === null
          ? null
          : this.#maxCostMicroUsd - this.#spent.microUsd - reserved.microUsd,
    };
  }

  reserve(key: object | string, amount: BudgetAmount): void {
    this.#reserved.set(key, amount);
  }

  /** Forgets what was reserved. Safe to repeat. */
  release(key: object | string): void {
    this.#reserved.delete(key);
  }

  /** Counts a call in place of what was reserved for it. */
  count(key: object | string, { tokens, microUsd, input, cachedInput }: CallUse): void {
    this.release(key);
    this.#spent = sum(this.#spent, { tokens, microUsd: microUsd ?? 0 });
    this.#hasUnpriced ||= microUsd === null;
    this.#input += input;
    this.#cachedInput += cachedInput;
  }

  /** Reserves a share for a child. Null: too little is left for one. */
  grant(childId: string, { isAlone }: { readonly isAlone: boolean }): ChildShare | null {
    return this.grantPart(childId, isAlone ? LONE_CHILD_SHARE : CHILD_SHARE);
  }

  /** The same of a part of what is left, up to 1. */
  grantPart(childId: string, part: number): ChildShare | null {
    const { tokens, microUsd } = this.room;
    const share = {
      tokens: Math.floor(tokens * part),
      microUsd: microUsd === null ? 0 : Math.floor(microUsd * part),
    };
    if (share.tokens < LEAST_CHILD_TOKENS) return null;
    if (microUsd !== null && share.microUsd < LEAST_CHILD_MICRO_USD) return null;
    const tokensOfChild = Number.isFinite(share.tokens) ? share.tokens : 0;
    this.reserve(childId, { ...share, tokens: tokensOfChild });
    return {
      maxTurnTokens: tokensOfChild,
      maxCostMicroUsd: microUsd === null ? null : share.microUsd,
    };
  }

  /** Counts what a child has used in place of its share. Null: nobody knows, and its share counts. Safe to repeat. */
  settle(childId: string, used: Pick<BudgetUse, "countedTokens" | "costMicroUsd"> | null): void {
    if (this.#settled.has(childId)) return;
    this.#settled.add(childId);
    const share = this.#reserved.get(childId) ?? { tokens: 0, microUsd: 0 };
    const { countedTokens: tokens, costMicroUsd: microUsd } = used ?? {
      countedTokens: share.tokens,
      costMicroUsd: share.microUsd,
    };
    this.count(childId, { tokens, microUsd, input: 0, cachedInput: 0 });
  }

  get use(): BudgetUse {
    return {
      countedTokens: this.#spent.tokens,
      inputTokens: this.#input,
      cachedInputTokens: this.#cachedInput,
      costMicroUsd: this.#hasUnpriced ? null : this.#spent.microUsd,
      maxTokens: Number.isFinite(this.#maxTokens) ? this.#maxTokens : null,
      maxCostMicroUsd: this.#maxCostMicroUsd,
    };
  }
}

function sum(one: BudgetAmount, other: BudgetAmount): BudgetAmount {
  return { tokens: one.tokens + other.tokens, microUsd: one.microUsd + other.microUsd };
}
