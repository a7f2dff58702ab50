// Batches of requests that many callers make at the same time, done together. While a batch is under way, what comes in waits
// and makes the next one: batches grow with the load. A batch that is slow does not hold up the next.
// Why: docs/decisions/011-the-runs-table-is-the-queue.md

import { setImmediate } from "node:timers";
import { startTimer } from "../../base/clock.ts";

/** A batch that takes longer is slow: it waits for a lock, a disk or the network, and the next may do better. */
const SLOW_MS = 10;

type BatchOptions<Item, Outcome> = {
  /** Does all items, or none. Returns an outcome for each, in order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  /** Two items with the same key are never in one batch. Default: any may be. */
  readonly keysOf?: (item: Item) => readonly string[];
  readonly maxItems: number;
  /** Batches under way at a time, all but one of them slow. */
  readonly maxRunning: number;
  /** Whether the items of a batch that failed with this should be tried one by one: one of them may be the cause. */
  readonly isWorthTryingAlone: (cause: unknown) => boolean;
};

type Waiting<Item, Outcome> = {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (cause: unknown) => void;
};

export class Batches<Item, Outcome> {
  readonly #options: BatchOptions<Item, Outcome>;
  #waiting: Waiting<Item, Outcome>[] = [];
  #running = 0;
  #slow = 0;
  #isScheduled = false;

  constructor(options: BatchOptions<Item, Outcome>) {
    this.#options = options;
  }

  /** Does the item in one of the next batches. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** What arrives within a turn of the event loop is one batch. */
  #schedule(): void {
    if (this.#isScheduled || !this.#mayRun()) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#mayRun()) void this.#runNext();
    });
  }

  #mayRun(): boolean {
    return this.#running === this.#slow && this.#running < this.#options.maxRunning;
  }

  async #runNext(): Promise<void> {
    let isSlow = false;
    this.#running += 1;
    // Lets the next batch begin before this one is done.
    const stop = startTimer(SLOW_MS, () => {
      isSlow = true;
      this.#slow += 1;
      if (this.#waiting.length > 0) this.#schedule();
    });
    await this.#settle(this.#takeBatch());
    stop();
    this.#running -= 1;
    if (isSlow) this.#slow -= 1;
    if (this.#waiting.length > 0) this.#schedule();
  }

  #takeBatch(): Waiting<Item, Outcome>[] {
    const { keysOf, maxItems } = this.#options;
    if (keysOf === undefined) return this.#waiting.splice(0, maxItems);
    const taken: Waiting<Item, Outcome>[] = [];
    const left: Waiting<Item, Outcome>[] = [];
    const keys = new Set<string>();
    for (const waiting of this.#waiting) {
      const own = keysOf(waiting.item);
      const isFree = taken.length < maxItems && !own.some((key) => keys.has(key));
      (isFree ? taken : left).push(waiting);
      // Also those of an item that stays: a later one must not overtake it.
      for (const key of own) keys.add(key);
    }
    this.#waiting = left;
    return taken;
  }

  /** Never rejects. */
  async #settle(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    const { run, isWorthTryingAlone } = this.#options;
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as Outcome);
    } catch (cause) {
      if (batch.length > 1 && isWorthTryingAlone(cause)) {
        await Promise.all(batch.map((one) => this.#settle([one])));
      } else {
        for (const { reject } of batch) reject(cause);
      }
    }
  }
}
