// The budget of a run's requests through the proxy: by its bounds, the rates, and its billing account.

import { assertNever } from "../../../../../base/assert-never.ts";
import type { Rates } from "../../../../core/money/rates.ts";
import type { UsageMeter } from "../../../usage-meter.ts";
import type { RequestJournal } from "../../model/loop-state.ts";
import type { CountedTokens } from "../../model/reported-usage.ts";
import { type PlannedCall, type Spend, Spending, type SpendingBound } from "../../model/spending.ts";
import { TokenEstimate, tokensOf } from "../../model/token-estimate.ts";
import { limitsOfModel } from "../../model/wires/model-limits.ts";

export type Excess = "max_tokens" | "max_cost" | "credits";

export type AskedCall = {
  readonly modelId: string;
  readonly inputBytes: number;
  readonly maxOutputTokens: number;
};

export type BegunCall =
  /** `count` must be called once, with what the call took; null: nothing. `maxOutputTokens`: what its answer may have. */
  | {
      readonly ok: true;
      readonly inputTokens: number;
      readonly maxOutputTokens: number;
      count(tokens: CountedTokens | null): void;
    }
  | { readonly ok: false; readonly excess: Excess };

/** A call whose answer has room for so much does not wait for others to give back what they have not used. */
const ENOUGH_OUTPUT_TOKENS = 8_000;

export class ProxyBudget {
  readonly #spending: Spending;
  readonly #estimates = new Map<string, TokenEstimate>();
  /** The count of calls that hold a part of the budget. */
  #underWay = 0;
  /** Fulfilled when the next of them is counted. */
  #counted = Promise.withResolvers<void>();
  #last: Promise<unknown> = Promise.resolve();
  #journal: RequestJournal | null = null;

  constructor(options: { meter: UsageMeter; rates: Rates | null; maxTokens: number }) {
    options.meter.budget.limitTokens(options.maxTokens);
    this.#spending = new Spending(options);
  }

  /** Requests of a worker before that may have been sent count as what was reserved for them. */
  countLeft(planned: readonly PlannedCall[]): void {
    for (const call of planned) this.#spending.countPlanned(call);
  }

  /** From now on each request is kept there before it is forwarded. */
  keepIn(journal: RequestJournal): void {
    this.#journal = journal;
  }

  /**
   * Reserves what the call may take before it is forwarded: calls at the same time stay within the bounds together. One for
   * which too little is left waits for those under way, which rarely use all that was reserved. One after the other; rejects
   * when `signal` aborts.
   */
  async begin(asked: AskedCall, signal: AbortSignal): Promise<BegunCall> {
    const begun = this.#last.then(() => this.#begin(asked, signal));
    this.#last = begun.catch(() => undefined);
    return await begun;
  }

  async #begin({ modelId, inputBytes, maxOutputTokens }: AskedCall, signal: AbortSignal): Promise<BegunCall> {
    const spend = { role: "executor", modelId, call: {} } as const;
    for (;;) {
      signal.throwIfAborted();
      const counted = this.#counted.promise;
      const isAlone = this.#underWay === 0;
      const inputTokens = this.#tokensOf(modelId, inputBytes);
      const allowed = await this.#spending.allow({
        ...spend,
        inputTokens,
        maxOutputTokens,
        capMicroUsd: null,
      });
      const isEnough =
        allowed.ok && allowed.maxOutputTokens >= Math.min(maxOutputTokens, ENOUGH_OUTPUT_TOKENS);
      if (allowed.ok && (isEnough || isAlone)) {
        this.#underWay += 1;
        const { maxOutputTokens: output } = allowed;
        const forget = await this.#keep({ role: spend.role, modelId, inputTokens, maxOutputTokens: output });
        const count = (tokens: CountedTokens | null) => {
          forget();
          this.#settle(spend, { inputBytes, tokens });
        };
        return { ok: true, inputTokens, maxOutputTokens: output, count };
      }
      if (!allowed.ok && isAlone) return { ok: false, excess: excessOf(allowed.bound) };
      if (allowed.ok) this.#spending.release(spend);
      await orAborted(counted, signal);
    }
  }

  /** A run whose journal fails to be written is stopped by that. */
  async #keep(planned: PlannedCall): Promise<() => void> {
    return (
      (await this.#journal?.beforeRequest(planned, { isTurn: true }).catch(() => null)) ?? (() => undefined)
    );
  }

  #settle(
    spend: Spend,
    { inputBytes, tokens }: { readonly inputBytes: number; readonly tokens: CountedTokens | null },
  ): void {
    if (tokens === null) this.#spending.release(spend);
    else {
      const contextWindow = limitsOfModel(spend.modelId)?.contextTokens ?? null;
      this.#spending.count({ ...spend, turn: { role: "executor", contextWindow } }, tokens);
      if (!tokens.isEstimated) this.#estimateOf(spend.modelId).correct(inputBytes, tokens.input);
    }
    this.#underWay -= 1;
    this.#counted.resolve();
    this.#counted = Promise.withResolvers();
  }

  /** Never less than the rule of thumb: a request may look unlike those before it. */
  #tokensOf(modelId: string, bytes: number): number {
    return Math.max(tokensOf(bytes), this.#estimateOf(modelId).of(bytes));
  }

  #estimateOf(modelId: string): TokenEstimate {
    const known = this.#estimates.get(modelId) ?? new TokenEstimate();
    this.#estimates.set(modelId, known);
    return known;
  }
}

/** Rejects with the signal's reason when it aborts first. */
async function orAborted(counted: Promise<void>, signal: AbortSignal): Promise<void> {
  const gone = Promise.withResolvers<never>();
  const leave = () => gone.reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    await Promise.race([counted, gone.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

function excessOf(bound: SpendingBound): Excess {
  switch (bound) {
    case "max_tokens":
    case "max_cost":
    case "credits":
      return bound;
    case "cap":
      throw new TypeError("The agent's own model has no cap.");
    default:
      return assertNever(bound);
  }
}
