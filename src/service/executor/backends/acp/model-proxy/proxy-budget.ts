// What a run's requests through the proxy may still cost: by what the run may use, the rates, and its billing account.

import { assertNever } from "../../../../../base/assert-never.ts";
import type { Rates } from "../../../../core/money/rates.ts";
import type { UsageMeter } from "../../../usage-meter.ts";
import type { CountedTokens } from "../../model/reported-usage.ts";
import { Spending, type SpendingBound } from "../../model/spending.ts";

export type Excess = "max_tokens" | "max_cost" | "credits";

export type AskedCall = {
  readonly modelId: string;
  /** Estimates. */
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
};

export type BegunCall =
  /** `count` must be called once, with what the call took; null: nothing. `maxOutputTokens`: what its answer may have. */
  | { readonly ok: true; readonly maxOutputTokens: number; count(tokens: CountedTokens | null): void }
  | { readonly ok: false; readonly excess: Excess };

export class ProxyBudget {
  readonly #spending: Spending;

  constructor(options: { meter: UsageMeter; rates: Rates | null; maxTokens: number }) {
    options.meter.budget.limitTokens(options.maxTokens);
    this.#spending = new Spending(options);
  }

  /** Reserves what the call may take before it is forwarded: calls at the same time stay within the bounds together. */
  async begin(asked: AskedCall): Promise<BegunCall> {
    const spend = { role: "executor", modelId: asked.modelId, call: {} } as const;
    const allowed = await this.#spending.allow({ ...spend, ...asked, capMicroUsd: null });
    if (!allowed.ok) return { ok: false, excess: excessOf(allowed.bound) };
    return {
      ok: true,
      maxOutputTokens: allowed.maxOutputTokens,
      count: (tokens) => {
        if (tokens === null) this.#spending.release(spend);
        else this.#spending.count(spend, tokens);
      },
    };
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
