// Limits and counts the cost of a run's model calls: by the budget of the run, and by its billing account's credits.

import { costOfCall, countedTokens, mostCostOfCall, outputPrice } from "../../../core/money/call-price.ts";
import { type PricesOf, pricesOf } from "../../../core/money/model-prices.ts";
import { findModelRate, type ModelRate, type Rates } from "../../../core/money/rates.ts";
import type { ModelRole } from "../../../core/runs/usage.ts";
import type { BudgetAmount } from "../../run-budget.ts";
import type { TurnPart } from "../../turn-meter.ts";
import type { CallKey, UsageMeter } from "../../usage-meter.ts";
import { type BudgetBound, type CallSize, LEAST_OUTPUT_TOKENS, mostOfCall, planAnswer } from "./bounds.ts";
import type { CountedTokens } from "./reported-usage.ts";

const NANO_PER_MICRO = 1_000;
const nothing: BudgetAmount = { tokens: 0, microUsd: 0 };

export type Spend = {
  readonly role: ModelRole;
  readonly modelId: string;
  /** Tells calls apart where a role makes several at once. Default: the role. */
  readonly call?: CallKey;
};

/** A call of which there is an answer. */
type AnsweredSpend = Spend & { readonly turn: TurnPart };

export type PlannedSpend = Spend &
  CallSize & {
    /** Micro-USD that all calls of the role may cost; null is no cap. */
    readonly capMicroUsd: number | null;
    /** A later call of the same model for which there must be room afterwards. Default: none. */
    readonly kept?: CallSize | null;
  };

/** A call that is about to be made, with what it may take at most. */
export type PlannedCall = CallSize & Pick<Spend, "modelId" | "role">;

/** Why a call may not be made. */
export type SpendingBound = BudgetBound | "credits" | "cap";

export type Allowance =
  /** `shortOf`: what made the answer's room smaller than planned. */
  | { readonly ok: true; readonly maxOutputTokens: number; readonly shortOf: SpendingBound | null }
  | { readonly ok: false; readonly bound: SpendingBound };

export class Spending {
  readonly #meter: UsageMeter;
  /** Null where nothing costs credits. */
  readonly #rates: Rates | null;
  readonly #pricesOf: PricesOf;

  constructor({ meter, rates }: { meter: UsageMeter; rates: Rates | null }) {
    this.#meter = meter;
    this.#rates = rates;
    this.#pricesOf = pricesOf(rates);
  }

  /** Reserves what a call may cost at most, with as long an answer as the budget, the cap and the credits allow. */
  async allow(planned: PlannedSpend): Promise<Allowance> {
    const { inputTokens, modelId, kept = null } = planned;
    const call = planned.call ?? planned.role;
    const { budget } = this.#meter;
    const prices = this.#pricesOf(modelId);
    const least = Math.min(LEAST_OUTPUT_TOKENS, planned.maxOutputTokens);
    const keptAmount = kept === null ? nothing : mostOfCall(kept, prices);
    const fitting = planAnswer(planned, { room: budget.room, kept: keptAmount, prices });
    if (!fitting.ok) return fitting;
    let { maxOutputTokens: output, shortOf }: { maxOutputTokens: number; shortOf: SpendingBound | null } =
      fitting;
    const withinCap = this.#outputWithinCap(planned);
    if (withinCap < least) return { ok: false, bound: "cap" };
    if (withinCap < output) [output, shortOf] = [withinCap, "cap"];
    const reserveWith = async (maxOutputTokens: number) => {
      // Before the first wait: a call at the same time finds it taken.
      budget.reserve(call, mostOfCall({ inputTokens, maxOutputTokens }, prices));
      const keptCharge = kept === null ? 0 : this.#mostCharge(modelId, kept);
      return await this.#meter.reserve(
        this.#mostCharge(modelId, { inputTokens, maxOutputTokens }) + keptCharge,
        call,
      );
    };
    while (!(await reserveWith(output))) {
      if (output === least) {
        budget.release(call);
        return { ok: false, bound: "credits" };
      }
      [output, shortOf] = [Math.max(least, Math.floor(output / 2)), "credits"];
    }
    return { ok: true, maxOutputTokens: output, shortOf };
  }

  /** After a call that no answer began. Safe to repeat. */
  release({ role, call = role }: Pick<Spend, "role" | "call">): void {
    this.#meter.budget.release(call);
    this.#meter.release(call);
  }

  /** Counts a call whose answer has come, or a part of it. */
  count(spend: AnsweredSpend, tokens: CountedTokens): void {
    this.#count(spend, tokens);
  }

  #count(
    { role, modelId, call = role, turn }: Spend & Partial<AnsweredSpend>,
    { isEstimated, ...tokens }: CountedTokens,
  ): void {
    const prices = this.#pricesOf(modelId);
    const costMicroUsd = prices === null ? null : costOfCall(prices, tokens);
    this.#meter.budget.count(call, {
      tokens: countedTokens(prices, tokens),
      microUsd: costMicroUsd,
      input: tokens.input,
      cachedInput: tokens.cachedInput,
    });
    const rate = this.#rateOf(modelId);
    this.#meter.count({
      role,
      tokens: tokens.input + tokens.output,
      microUsd: rate === undefined ? 0 : costOfCall(rate, tokens),
      isEstimated,
      model: {
        model: modelId,
        inputTokens: tokens.input,
        cachedInputTokens: tokens.cachedInput,
        outputTokens: tokens.output,
        costMicroUsd,
      },
      call,
      ...(turn === undefined ? {} : { turn }),
    });
  }

  /** Counts a call whose answer nobody has counted: as much as was reserved for it. */
  countPlanned({ inputTokens, maxOutputTokens, ...spend }: PlannedCall): void {
    this.#count(
      // In nobody else's place.
      { ...spend, call: {} },
      {
        input: inputTokens,
        cachedInput: 0,
        cacheWrite: inputTokens,
        output: maxOutputTokens,
        isEstimated: true,
      },
    );
  }

  #outputWithinCap({ role, modelId, inputTokens, capMicroUsd }: PlannedSpend): number {
    if (capMicroUsd === null) return Number.POSITIVE_INFINITY;
    const spent = this.#meter.usage.roles[role]?.microUsd ?? 0;
    const left = capMicroUsd - spent - this.#mostCharge(modelId, { inputTokens, maxOutputTokens: 0 });
    const rate = this.#rateOf(modelId);
    const perToken = rate === undefined ? 0 : outputPrice(rate, inputTokens);
    if (left < 0) return 0;
    return perToken === 0 ? Number.POSITIVE_INFINITY : Math.floor((left * NANO_PER_MICRO) / perToken);
  }

  #rateOf(modelId: string): ModelRate | undefined {
    return this.#rates === null ? undefined : findModelRate(this.#rates, modelId);
  }

  #mostCharge(modelId: string, { inputTokens: input, maxOutputTokens: output }: CallSize): number {
    const rate = this.#rateOf(modelId);
    return rate === undefined ? 0 : mostCostOfCall(rate, { input, output });
  }
}
