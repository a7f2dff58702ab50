// Limits and counts the cost of a run's model calls: by the rate card, the run's token budget and its billing account's credits.

import { findModelRate, type Rates } from "../../../core/money/rates.ts";
import { type ModelRole, sumOf } from "../../../core/runs/usage.ts";
import type { CallKey, UsageMeter } from "../../usage-meter.ts";
import type { CountedTokens, TokenCount } from "./reported-usage.ts";

/** The shortest answer that is worth a request. */
const LEAST_OUTPUT_TOKENS = 512;
const NANO_PER_MICRO = 1_000;

export type Spend = {
  readonly role: ModelRole;
  readonly modelId: string;
  /** Tells calls apart where a role makes several at once. Default: the role. */
  readonly call?: CallKey;
};

export type PlannedSpend = Spend & {
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** Micro-USD that all calls of the role may cost; null is no cap. */
  readonly capMicroUsd: number | null;
};

/** Why a call may not be made. */
export type SpendingBound = "max_tokens" | "credits" | "cap";

export type Allowance =
  /** `shortOf`: what made the answer's room smaller than planned. */
  | { readonly ok: true; readonly maxOutputTokens: number; readonly shortOf: SpendingBound | null }
  | { readonly ok: false; readonly bound: SpendingBound };

export class Spending {
  readonly #meter: UsageMeter;
  readonly #rates: Rates;
  readonly #maxTokens: number;

  constructor(options: { meter: UsageMeter; rates: Rates; maxTokens: number }) {
    this.#meter = options.meter;
    this.#rates = options.rates;
    this.#maxTokens = options.maxTokens;
  }

  /** Reserves what a call may cost at most, with as long an answer as the tokens, the cap and the credits allow. */
  async allow(planned: PlannedSpend): Promise<Allowance> {
    const { inputTokens: input, maxOutputTokens, modelId } = planned;
    const least = Math.min(LEAST_OUTPUT_TOKENS, maxOutputTokens);
    const tokensLeft = this.#maxTokens - sumOf(this.#meter.usage, "tokens") - input;
    if (tokensLeft < least) return { ok: false, bound: "max_tokens" };
    let output = Math.min(maxOutputTokens, tokensLeft);
    let shortOf: SpendingBound | null = output < maxOutputTokens ? "max_tokens" : null;
    const withinCap = this.#outputWithinCap(planned);
    if (withinCap < least) return { ok: false, bound: "cap" };
    if (withinCap < output) [output, shortOf] = [withinCap, "cap"];
    while (
      !(await this.#meter.reserve(
        this.#cost(modelId, { input, cachedInput: 0, output }),
        planned.call ?? planned.role,
      ))
    ) {
      if (output === least) return { ok: false, bound: "credits" };
      [output, shortOf] = [Math.max(least, Math.floor(output / 2)), "credits"];
    }
    return { ok: true, maxOutputTokens: output, shortOf };
  }

  /** After a call that no answer began. Safe to repeat. */
  release({ role, call = role }: Pick<Spend, "role" | "call">): void {
    this.#meter.release(call);
  }

  count({ role, modelId, call = role }: Spend, { isEstimated, ...tokens }: CountedTokens): void {
    this.#meter.count({
      role,
      tokens: tokens.input + tokens.output,
      microUsd: this.#cost(modelId, tokens),
      isEstimated,
      call,
    });
  }

  #outputWithinCap({ role, modelId, inputTokens, capMicroUsd }: PlannedSpend): number {
    if (capMicroUsd === null) return Number.POSITIVE_INFINITY;
    const spent = this.#meter.usage.roles[role]?.microUsd ?? 0;
    const left = capMicroUsd - spent - this.#cost(modelId, { input: inputTokens, cachedInput: 0, output: 0 });
    const perToken = findModelRate(this.#rates, modelId)?.outNanoUsdPerToken ?? 0;
    if (left < 0) return 0;
    return perToken === 0 ? Number.POSITIVE_INFINITY : Math.floor((left * NANO_PER_MICRO) / perToken);
  }

  #cost(modelId: string, { input, cachedInput, output }: TokenCount): number {
    const rate = findModelRate(this.#rates, modelId);
    if (rate === undefined) return 0;
    const { inNanoUsdPerToken, cachedInNanoUsdPerToken = inNanoUsdPerToken, outNanoUsdPerToken } = rate;
    const inNanoUsd = (input - cachedInput) * inNanoUsdPerToken + cachedInput * cachedInNanoUsdPerToken;
    const nanoUsd = inNanoUsd + output * outNanoUsdPerToken;
    return Math.ceil(nanoUsd / NANO_PER_MICRO);
  }
}
