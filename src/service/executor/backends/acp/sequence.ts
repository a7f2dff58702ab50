// Executes pieces of work one after the other, in order of arrival.

/** Calls that may be queued before callers have to wait. */
const MAX_WAITING = 256;

export class Sequence {
  readonly #onFailure: (cause: unknown) => void;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isStopped = false;

  /** Reports the first failure; no work is started after it. */
  constructor(onFailure: (cause: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Resolves with undefined when the work failed or was not begun. */
  add<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    this.#waiting += 1;
    const done = this.#last.then(async () => {
      try {
        return this.#isStopped ? undefined : await work();
      } catch (cause) {
        this.#isStopped = true;
        this.#onFailure(cause);
        return undefined;
      } finally {
        this.#waiting -= 1;
      }
    });
    this.#last = done;
    return done;
  }

  /** Begins nothing more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    if (this.#waiting > MAX_WAITING) await this.#last;
  }

  async settled(): Promise<void> {
    await this.#last;
  }
}
