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
  /** Whether an earlier worker has ended a prompt of the session: what that one took of the totals is not known. Default: no. */
  readonly hasEndedPrompt?: boolean;
};

/** What a session that goes on was counted with before. Nothing for a new one. */
export function countedBefore(
  left: {
    readonly sessionId: string | null;
    readonly reported: ReportedUsage;
    readonly step: { readonly at: string };
  } | null,
): Pick<TurnUsageOptions, "reported" | "hasEndedPrompt"> {
  if (left === null || left.sessionId === null) return {};
  return { reported: left.reported, hasEndedPrompt: left.step.at !== "prompt" };
}

/** The tokens of a session by kind. */
type SessionTokens = { readonly input: number; readonly cachedInput: number; readonly output: number };

const noTokens: SessionTokens = { input: 0, cachedInput: 0, output: 0 };

export class TurnUsage {
  readonly #meter: UsageMeter;
  #tokens: number;
  #microUsd: number;
  /** Whether an agent that has taken its session up counts on, or afresh, is not known before its first reports. */
  readonly #isFirst = { tokens: true, microUsd: true };
  /** As of the last prompt's end. Null: not known. */
  #atLastEnd: SessionTokens | null;

  constructor(options: TurnUsageOptions) {
    const { meter, maxTokens, reported = { tokens: 0, microUsd: 0 }, hasEndedPrompt = false } = options;
    this.#meter = meter;
    this.#atLastEnd = hasEndedPrompt ? null : noTokens;
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
    const total = sessionTokens(answer);
    if (total !== null && this.#atLastEnd !== null) this.#tellTurn(total, this.#atLastEnd);
    this.#atLastEnd = total;
  }

  /** Of an agent that reports less than before, it is this prompt's alone. */
  #tellTurn(total: SessionTokens, before: SessionTokens): void {
    const { input, output } = before;
    const isSum = total.input >= input && total.output >= output && total.cachedInput >= before.cachedInput;
    const from = isSum ? before : noTokens;
    const cachedInputTokens = total.cachedInput - from.cachedInput;
    this.#meter.turn.count({
      role: "executor",
      model: null,
      contextWindow: null,
      inputTokens: total.input - from.input + cachedInputTokens,
      cachedInputTokens,
      outputTokens: total.output - from.output,
      calls: null,
    });
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

/** Null where it does not report them by kind: in ACP's `usage`, or as Gemini CLI does. `input` is what came from no cache. */
function sessionTokens({ usage, _meta: meta }: PromptAnswer): SessionTokens | null {
  const count = memberOf(memberOf(meta, "quota"), "token_count");
  const numbers = (names: readonly string[], of: unknown) =>
    names.reduce<number>((sum, name) => sum + Number(memberOf(of, name) ?? 0), 0);
  const tokens =
    typeof memberOf(usage, "inputTokens") === "number"
      ? {
          input: numbers(["inputTokens", "cachedWriteTokens"], usage),
          cachedInput: numbers(["cachedReadTokens"], usage),
          output: numbers(["outputTokens", "thoughtTokens"], usage),
        }
      : {
          input: numbers(["input_tokens"], count),
          cachedInput: 0,
          output: numbers(["output_tokens"], count),
        };
  const areWhole = Object.values(tokens).every((number) => Number.isSafeInteger(number) && number >= 0);
  return areWhole && tokens.input + tokens.cachedInput + tokens.output > 0 ? tokens : null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
