// The usage of a turn whose agent reaches its model by itself, as far as it reports it: counted as it arrives, so that a stopped run is charged too, and
// compared with the run's bound.

import type { UsageMeter } from "../../usage-meter.ts";
import type { Excess } from "./model-proxy/proxy-budget.ts";
import type { PromptAnswer, UsageUpdate } from "./updates.ts";

const MICRO = 1_000_000;

/** What an agent has reported of its session, and what is counted. */
export type ReportedUsage = { readonly tokens: number; readonly microUsd: number };

type TurnUsageOptions = {
  readonly meter: UsageMeter;
  /** 0: no bound. */
  readonly maxTokens: number;
  /** Of a session that goes on: counted before. Default: nothing. */
  readonly reported?: ReportedUsage;
};

export class TurnUsage {
  readonly #meter: UsageMeter;
  #tokens: number;
  #microUsd: number;
  /** Whether an agent that has taken its session up counts on, or afresh, is not known before its first reports. */
  readonly #isFirst = { tokens: true, microUsd: true };

  constructor({ meter, maxTokens, reported = { tokens: 0, microUsd: 0 } }: TurnUsageOptions) {
    this.#meter = meter;
    this.#tokens = reported.tokens;
    this.#microUsd = reported.microUsd;
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

  get reported(): ReportedUsage {
    return { tokens: this.#tokens, microUsd: this.#microUsd };
  }

  /** Counts the report at the end of the turn. */
  end(answer: PromptAnswer): void {
    this.#countUpTo({ tokens: answer.usage?.totalTokens ?? quotaTokens(answer), microUsd: this.#microUsd });
  }

  /** Counts the difference: agents report totals. */
  #countUpTo(sum: ReportedUsage): void {
    if (this.#startsAfresh("tokens", sum.tokens)) this.#tokens = 0;
    if (this.#startsAfresh("microUsd", sum.microUsd)) this.#microUsd = 0;
    const tokens = Math.max(0, Math.ceil(sum.tokens) - this.#tokens);
    const microUsd = Math.max(0, Math.ceil(sum.microUsd) - this.#microUsd);
    if (!Number.isSafeInteger(tokens) || !Number.isSafeInteger(microUsd) || tokens + microUsd === 0) return;
    this.#tokens += tokens;
    this.#microUsd += microUsd;
    this.#meter.budget.count(this, { tokens, microUsd, input: 0, cachedInput: 0 });
    this.#meter.count({ role: "executor", tokens, microUsd });
  }

  /** A first total below the one before. An agent that reports none has not begun. */
  #startsAfresh(what: keyof ReportedUsage, sum: number): boolean {
    if (!this.#isFirst[what] || sum <= 0) return false;
    this.#isFirst[what] = false;
    return sum < (what === "tokens" ? this.#tokens : this.#microUsd);
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
