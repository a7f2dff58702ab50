// The limit of calls of one account that wait on this node at a time: one that may not wait is answered with what there is.

export const MAX_WAITS_OF_ACCOUNT = 64;

export class Waits {
  readonly #waiting = new Map<string, number>();
  readonly #max: number;

  constructor(max = MAX_WAITS_OF_ACCOUNT) {
    this.#max = max;
  }

  /** Whether one more call of the account may wait. Each that may is given back by `leave`. */
  enter(accountId: string): boolean {
    const waiting = this.#waiting.get(accountId) ?? 0;
    if (waiting >= this.#max) return false;
    this.#waiting.set(accountId, waiting + 1);
    return true;
  }

  leave(accountId: string): void {
    const left = (this.#waiting.get(accountId) ?? 0) - 1;
    if (left > 0) this.#waiting.set(accountId, left);
    else this.#waiting.delete(accountId);
  }
}
