// How many calls may work at a time, and how many may wait for one of them to end.

type Waiting = { enter(): void };

export class Turns {
  readonly #limits: { readonly working: number; readonly waiting: number };
  readonly #waiting = new Set<Waiting>();
  #working = 0;

  constructor(limits: { readonly working: number; readonly waiting: number }) {
    this.#limits = limits;
  }

  /** False where too many wait already. Rejects with the signal's reason when it aborts while this waits. */
  async take(signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    if (this.#working < this.#limits.working) {
      this.#working += 1;
      return true;
    }
    if (this.#waiting.size >= this.#limits.waiting) return false;
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        enter: () => {
          signal.removeEventListener("abort", abort);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", abort, { once: true });
    });
    return true;
  }

  /** Once for each `take` that was true. The one who waited longest is next. */
  giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#working -= 1;
      return;
    }
    this.#waiting.delete(next);
    next.enter();
  }
}
