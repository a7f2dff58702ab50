// The usage of a turn whose agent reaches its model by itself, as far as it reports it: counted as it arrives, so that a stopped run is charged too, and
// compared with the run's bound.

import type { UsageMeter } from "../../usage-meter.ts";
import type { Excess } from "./model-proxy/proxy-budget.ts";
import type { PromptAnswer, UsageUpdate } from "./updates.ts";

const MICRO = 1_000_000;

type TurnUsageOptions = {
  readonly meter: UsageMeter;
  /** 0: no bound. */
  readonly maxTokens: number;
};

export class TurnUsage {
  readonly #meter: UsageMeter;
  #tokens = 0;
  #microUsd = 0;

  constructor({ meter, maxTokens }: TurnUsageOptions) {
    this.#meter = meter;
    if (maxTokens > 0) meter.budget.limitTokens(maxTokens);
  }

  /**
   * Counts a report in the middle of the turn; returns the bound that is exceeded. The tokens are those in
   * its context, a lower limit of what it has used.
   */
  async add({ used, cost }: UsageUpdate): Promise<Excess | null> {
    const dollars = cost?.currency.toUpperCase() === "USD" ? cost.amount : 0;
    this.#countUpTo({ tokens: used, microUsd: dollars * MICRO });
    const { tokens: left, microUsd: moneyLeft } = this.#meter.budget.room;
    if (left < 0) return "max_tokens";
    if (moneyLeft !== null && moneyLeft < 0) return "max_cost";
    return (await this.#meter.reserve(0)) ? null : "credits";
  }

  /** Counts the report at the end of the turn. */
  end(answer: PromptAnswer): void {
    this.#countUpTo({ tokens: answer.usage?.totalTokens ?? quotaTokens(answer), microUsd: this.#microUsd });
  }

  /** Counts the difference: agents report totals. */
  #countUpTo(sum: { readonly tokens: number; readonly microUsd: number }): void {
    const tokens = Math.max(0, Math.ceil(sum.tokens) - this.#tokens);
    const microUsd = Math.max(0, Math.ceil(sum.microUsd) - this.#microUsd);
    if (!Number.isSafeInteger(tokens) || !Number.isSafeInteger(microUsd) || tokens + microUsd === 0) return;
    this.#tokens += tokens;
    this.#microUsd += microUsd;
    this.#meter.budget.count(this, { tokens, microUsd, input: 0, cachedInput: 0 });
    this.#meter.count({ role: "executor", tokens, microUsd });
  }
}

/** Gemini CLI reports it in `_meta.quota.token_count`. */
function quotaTokens({ _meta: meta }: PromptAnswer): number {
  const count = memberOf(memberOf(meta, "quota"), "token_count");
  const numbers = [memberOf(count, "input_tokens"), memberOf(count, "output_tokens")];
  return numbers.reduce<number>((sum, value) => sum + (typeof value === "number" ? value : 0), 0);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
