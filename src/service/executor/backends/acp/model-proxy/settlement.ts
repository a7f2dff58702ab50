// What one forwarded request counts in the end: by what its answer says, else by what was heard of it or reserved for it.
// Why: docs/decisions/095-what-an-agent-sent-is-paid-for.md

import { type CountedTokens, countTokens } from "../../model/reported-usage.ts";
import { AnswerUsage } from "./answer-usage.ts";
import type { BegunCall } from "./proxy-budget.ts";

/** More than any model takes or gives. A server may keep earlier parts of a conversation, so the request is no bound. */
const MAX_TOKENS = 10_000_000;

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

  /** No more is heard. `isStopped`: by the end of the run, not by its agent. Safe to repeat. */
  end({ isStopped }: { readonly isStopped: boolean }): void {
    if (!this.#isOver) this.#count(this.#counted(isStopped));
  }

  #counted(isStopped: boolean): CountedTokens {
    const { inputTokens: estimatedInput, maxOutputTokens } = this.#call;
    this.#usage?.cut();
    if (this.#usage?.isTold !== true) {
      // An agent that has hung up could else have any number of answers for nothing.
      const output = isStopped ? 0 : maxOutputTokens;
      return { input: estimatedInput, cachedInput: 0, cacheWrite: 0, output, isEstimated: true };
    }
    const size = { sentBytes: MAX_TOKENS, estimatedInput, maxOutputTokens: MAX_TOKENS };
    return countTokens(this.#usage.reported, { ...size, ...this.#usage.size });
  }

  #count(tokens: CountedTokens | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.count(tokens);
  }
}
