// Shares the event loop among many that all have much to do: so much work in one turn of it, the rest in the next ones.
// Between two turns, everything else that the node does has its own.

import { setImmediate } from "node:timers";

type Waiting = { readonly cost: number; readonly resolve: () => void };

export class WorkTurns {
  readonly #perTurn: number;
  #left: number;
  #waiting: Waiting[] = [];
  #isScheduled = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Resolves in a turn with room for the work, first come first served. The last of a turn may cost more than is left. */
  take(cost: number): Promise<void> {
    this.#schedule();
    if (this.#waiting.length === 0 && this.#left > 0) {
      this.#left -= cost;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push({ cost, resolve }));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#begin());
  }

  #begin(): void {
    this.#isScheduled = false;
    this.#left = this.#perTurn;
    let begun = 0;
    for (const { cost, resolve } of this.#waiting) {
      if (this.#left <= 0) break;
      this.#left -= cost;
      begun += 1;
      resolve();
    }
    this.#waiting.splice(0, begun);
    if (this.#left < this.#perTurn) this.#schedule();
  }
}
