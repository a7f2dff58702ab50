// The settlement of one forwarded request: by the usage in its answer, else by what was heard of it or reserved for it.
// Why: docs/decisions/095-what-an-agent-sent-is-paid-for.md

import { type CountedTokens, countTokens } from "../../model/reported-usage.ts";
import { AnswerUsage } from "./answer-usage.ts";
import type { BegunCall } from "./proxy-budget.ts";

/** More than any model takes or gives. A server may keep earlier parts of a conversation, so the request is no bound. */
const MAX_TOKENS = 10_000_000;

/**
 * `answered`: whole. `abandoned`: its agent has ended before it. `stopped`: by the end of the run, which is no choice of its
 * agent's. `cut`: by the model's server.
 */
type Ending = "answered" | "abandoned" | "stopped" | "cut";

const nothingHeard = {
  reported: { input: null, cachedInput: null, output: null },
  size: { heardChars: 0, heardBytes: 0 },
};

export class Settlement {
  readonly #call: Extract<BegunCall, { ok: true }>;
  #usage: AnswerUsage | null = null;
  #isOver = false;

  constructor(call: Extract<BegunCall, { ok: true }>) {
    this.#call = call;
  }

  /** The model's server has not taken the request. */
  release(): void {
    this.#count(null);
  }

  /** An answer has begun. */
  answer(contentType: string): AnswerUsage {
    this.#usage = new AnswerUsage(contentType);
    return this.#usage;
  }

  /** No more is heard. Safe to repeat: the first counts. */
  end(how: Ending): void {
    if (!this.#isOver) this.#count(this.#counted(how));
  }

  #counted(how: Ending): CountedTokens {
    const { inputTokens: estimatedInput, maxOutputTokens } = this.#call;
    this.#usage?.cut();
    const { reported, size } = this.#usage ?? nothingHeard;
    const counted = countTokens(reported, {
      sentBytes: MAX_TOKENS,
      estimatedInput,
      maxOutputTokens: MAX_TOKENS,
      ...size,
    });
    const isUnknown = reported.output === null && size.heardChars === 0;
    if (!isUnknown || how === "stopped" || how === "cut") return counted;
    // Nobody knows: an agent could else have any number of answers for nothing.
    return { ...counted, output: maxOutputTokens, isEstimated: true };
  }

  #count(tokens: CountedTokens | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.count(tokens);
  }
}
