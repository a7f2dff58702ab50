// The window of a model: by its setting, and by what its API has said of it since. Pure.

import type { WindowState } from "./loop-state.ts";
import { TokenEstimate } from "./token-estimate.ts";
import type { TooLong } from "./too-long.ts";

/** An API that says less means something else. */
const LEAST_WINDOW_TOKENS = 1_000;
/** Tokens are guessed from characters: this much of the input's room is used. */
const USED_SHARE = 0.95;

/** Shorter answers are not worth a request. */
const LEAST_ANSWER_TOKENS = 1_000;

type SentSize = {
  /** Instructions and tools. */
  readonly fixedChars: number;
  readonly conversationChars: number;
  /** The length that the answer might have had. */
  readonly answerTokens: number;
};

export class ModelWindow {
  /** Each model has its own tokenizer. */
  readonly estimate = new TokenEstimate();
  #windowTokens: number;
  /** The input that alone was too long without a number being named. */
  #mostInputTokens = Number.POSITIVE_INFINITY;
  #mostAnswerTokens = Number.POSITIVE_INFINITY;

  constructor(contextTokens: number) {
    this.#windowTokens = contextTokens;
  }

  get state(): WindowState {
    const limit = (tokens: number) => (Number.isFinite(tokens) ? tokens : null);
    return {
      windowTokens: this.#windowTokens,
      mostInputTokens: limit(this.#mostInputTokens),
      mostAnswerTokens: limit(this.#mostAnswerTokens),
      ratio: this.estimate.ratio,
    };
  }

  /** Knows what another worker has learned. Its setting may be less by now. */
  resume({ windowTokens, mostInputTokens, mostAnswerTokens, ratio }: WindowState): void {
    this.#windowTokens = Math.min(this.#windowTokens, windowTokens);
    this.#mostInputTokens = mostInputTokens ?? Number.POSITIVE_INFINITY;
    this.#mostAnswerTokens = mostAnswerTokens ?? Number.POSITIVE_INFINITY;
    this.estimate.resume(ratio);
  }

  /** Input and answer together. */
  get windowTokens(): number {
    return this.#windowTokens;
  }

  /** Of one answer: what the input leaves of the window, at most half and at least a quarter of it. */
  answerTokens(wanted: number, inputTokens: number): number {
    const half = Math.max(1, Math.floor(this.#windowTokens / 2));
    const left = this.#windowTokens - Math.ceil(inputTokens / USED_SHARE);
    return Math.min(wanted, this.#mostAnswerTokens, half, Math.max(left, this.#keptForAnswer(wanted)));
  }

  /** Tokens of the input, beside the shortest answer that is kept room for. */
  inputTokens(wantedAnswer: number): number {
    const room = USED_SHARE * (this.#windowTokens - this.#keptForAnswer(wantedAnswer));
    return Math.min(Math.floor(room), this.#mostInputTokens);
  }

  #keptForAnswer(wanted: number): number {
    return Math.min(wanted, this.#mostAnswerTokens, Math.max(1, Math.floor(this.#windowTokens / 4)));
  }

  /**
   * After a request that was too long: the next ones are shorter. By the API's numbers, first of all in their answers, or by half of
   * the conversation.
   */
  learn({ windowTokens, inputTokens }: TooLong, sent: SentSize): void {
    const { fixedChars, conversationChars } = sent;
    const chars = fixedChars + conversationChars;
    if (inputTokens !== null) this.estimate.correct(chars, inputTokens);
    if (windowTokens !== null && windowTokens >= LEAST_WINDOW_TOKENS && windowTokens < this.#windowTokens) {
      this.#windowTokens = windowTokens;
      if (this.estimate.of(chars) > windowTokens) return;
    }
    if (this.answerTokens(sent.answerTokens, this.estimate.of(chars)) < sent.answerTokens) return;
    this.#mostInputTokens = Math.min(
      this.#mostInputTokens,
      this.estimate.of(fixedChars + Math.floor(conversationChars / 2)),
    );
  }

  /** Where nothing of the input can go: answers are half as long. False where they would be too short, or the window is not known. */
  shortenAnswers({ windowTokens }: TooLong, { answerTokens }: Pick<SentSize, "answerTokens">): boolean {
    const half = Math.floor(answerTokens / 2);
    if (windowTokens === null || windowTokens < LEAST_WINDOW_TOKENS || half < LEAST_ANSWER_TOKENS)
      return false;
    this.#mostAnswerTokens = Math.min(this.#mostAnswerTokens, half);
    return true;
  }
}
