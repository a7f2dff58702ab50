// What a turn used, as far as its agent tells: counted as it comes, so that a run that is stopped has its share, and
// compared to what the run may use.

import type { UsageMeter } from "../../usage-meter.ts";
import type { PromptAnswer, UsageUpdate } from "./updates.ts";

const MICRO = 1_000_000;

export type Excess = "max_tokens" | "credits";

export type TurnUsageOptions = {
  readonly meter: UsageMeter;
  /** 0: no bound. */
  readonly maxTokens: number;
};

export class TurnUsage {
  readonly #meter: UsageMeter;
  readonly #maxTokens: number;
  #tokens = 0;
  #microUsd = 0;

  constructor({ meter, maxTokens }: TurnUsageOptions) {
    this.#meter = meter;
    this.#maxTokens = maxTokens;
  }

  /**
   * Counts what the agent tells in the middle of its turn; returns which bound it has passed. The tokens are those in
   * its context: it has used at least as many.
   */
  async add({ used, cost }: UsageUpdate): Promise<Excess | null> {
    const dollars = cost?.currency.toUpperCase() === "USD" ? cost.amount : 0;
    this.#countUpTo({ tokens: used, microUsd: dollars * MICRO });
    if (this.#maxTokens > 0 && this.#tokens > this.#maxTokens) return "max_tokens";
    return (await this.#meter.reserve(0)) ? null : "credits";
  }

  /** Counts what the agent tells at the end of its turn. */
  end(answer: PromptAnswer): void {
    this.#countUpTo({ tokens: answer.usage?.totalTokens ?? quotaTokens(answer), microUsd: this.#microUsd });
  }

  /** Counts what is new: agents tell sums. */
  #countUpTo(sum: { readonly tokens: number; readonly microUsd: number }): void {
    const tokens = Math.max(0, Math.ceil(sum.tokens) - this.#tokens);
    const microUsd = Math.max(0, Math.ceil(sum.microUsd) - this.#microUsd);
    if (!Number.isSafeInteger(tokens) || !Number.isSafeInteger(microUsd) || tokens + microUsd === 0) return;
    this.#tokens += tokens;
    this.#microUsd += microUsd;
    this.#meter.count({ role: "executor", tokens, microUsd });
  }
}

/** Gemini CLI's own place for it: `_meta.quota.token_count`. */
function quotaTokens({ _meta: meta }: PromptAnswer): number {
  const count = memberOf(memberOf(meta, "quota"), "token_count");
  const numbers = [memberOf(count, "input_tokens"), memberOf(count, "output_tokens")];
  return numbers.reduce<number>((sum, value) => sum + (typeof value === "number" ? value : 0), 0);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
