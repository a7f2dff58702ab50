// Estimates the tokens of a text.

const CHARS_PER_TOKEN = 4;
const LEAST_RATIO = 0.5;
const MOST_RATIO = 4;

/** The rule of thumb. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** The rule of thumb, corrected by the model's last count. */
export class TokenEstimate {
  #ratio = 1;

  get ratio(): number {
    return this.#ratio;
  }

  /** As another worker has corrected it. */
  resume(ratio: number): void {
    this.#ratio = ratio;
  }

  of(chars: number): number {
    return Math.ceil(tokensOf(chars) * this.#ratio);
  }

  /** Records the model's count for a text of this length. */
  correct(chars: number, tokens: number): void {
    if (chars === 0 || tokens === 0) return;
    this.#ratio = Math.min(Math.max(tokens / tokensOf(chars), LEAST_RATIO), MOST_RATIO);
  }

  /** About how many characters fit into this many tokens. */
  chars(tokens: number): number {
    return Math.floor((tokens * CHARS_PER_TOKEN) / this.#ratio);
  }
}
