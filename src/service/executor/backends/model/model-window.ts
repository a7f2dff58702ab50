// How much fits into one request to a model: by its window as it is set, and by what its API has said of it since. Pure.

import { TokenEstimate } from "./token-estimate.ts";
import type { TooLong } from "./too-long.ts";

/** An API that says less means something else. */
const LEAST_WINDOW_TOKENS = 1_000;
/** Tokens are guessed from characters: this much of the input's room is used. */
const USED_SHARE = 0.95;

export type SentSize = {
  /** Instructions and tools. */
  readonly fixedChars: number;
  readonly conversationChars: number;
};

export class ModelWindow {
  /** Each model has its own tokenizer. */
  readonly estimate = new TokenEstimate();
  #windowTokens: number;
  /** What of the input alone was too long without a number being named. */
  #mostInputTokens = Number.POSITIVE_INFINITY;

  constructor(contextTokens: number) {
    this.#windowTokens = contextTokens;
  }

  /** Input and answer together. */
  get windowTokens(): number {
    return this.#windowTokens;
  }

  /** Of one answer: never more than half of the window. */
  answerTokens(wanted: number): number {
    return Math.min(wanted, Math.max(1, Math.floor(this.#windowTokens / 2)));
  }

  /** Tokens of the input, beside an answer. */
  inputTokens(answerTokens: number): number {
    const room = USED_SHARE * (this.#windowTokens - this.answerTokens(answerTokens));
    return Math.min(Math.floor(room), this.#mostInputTokens);
  }

  /** After a request that was too long: the next ones are shorter, by the API's numbers or by half of the conversation. */
  learn({ windowTokens, inputTokens }: TooLong, { fixedChars, conversationChars }: SentSize): void {
    const chars = fixedChars + conversationChars;
    if (inputTokens !== null) this.estimate.correct(chars, inputTokens);
    if (windowTokens !== null && windowTokens >= LEAST_WINDOW_TOKENS && windowTokens < this.#windowTokens) {
      this.#windowTokens = windowTokens;
      if (this.estimate.of(chars) > windowTokens) return;
    }
    this.#mostInputTokens = Math.min(
      this.#mostInputTokens,
      this.estimate.of(fixedChars + Math.floor(conversationChars / 2)),
    );
  }
}
