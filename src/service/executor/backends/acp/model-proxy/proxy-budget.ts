// What a run's requests through the proxy may still cost: by the run's bound of tokens, the rates, and its billing account.

import type { Rates } from "../../../../core/money/rates.ts";
import type { UsageMeter } from "../../../usage-meter.ts";
import type { CountedTokens } from "../../model/reported-usage.ts";
import { Spending } from "../../model/spending.ts";

export type Excess = "max_tokens" | "credits";

export type AskedCall = {
  readonly modelId: string;
  /** Estimates. */
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
};

export type BegunCall =
  /** `count` must be called once, with what the call took; null: nothing. */
  | { readonly ok: true; count(tokens: CountedTokens | null): void }
  | { readonly ok: false; readonly excess: Excess };

export class ProxyBudget {
  readonly #spending: Spending;
  /** Asked tokens of the calls under way, which nothing has counted yet. */
  #pendingTokens = 0;

  /** `maxTokens` 0: no bound. */
  constructor(options: { meter: UsageMeter; rates: Rates; maxTokens: number }) {
    const maxTokens = options.maxTokens === 0 ? Number.POSITIVE_INFINITY : options.maxTokens;
    this.#spending = new Spending({ ...options, maxTokens });
  }

  async begin({ modelId, inputTokens, maxOutputTokens }: AskedCall): Promise<BegunCall> {
    const spend = { role: "executor", modelId, call: {} } as const;
    const allowed = await this.#spending.allow({
      ...spend,
      inputTokens: inputTokens + this.#pendingTokens,
      maxOutputTokens,
      capMicroUsd: null,
    });
    if (!allowed.ok) return { ok: false, excess: allowed.bound === "credits" ? "credits" : "max_tokens" };
    this.#pendingTokens += inputTokens;
    return {
      ok: true,
      count: (tokens) => {
        this.#pendingTokens -= inputTokens;
        if (tokens === null) this.#spending.release(spend);
        else this.#spending.count(spend, tokens);
      },
    };
  }
}
