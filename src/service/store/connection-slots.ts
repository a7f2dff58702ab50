// Slots of the connection pool, and who gets one next. Transactions wait for one another's locks while they hold a connection:
// they leave some to readers, and those that share a lane leave some to the others.

import { systemClock } from "../../base/clock.ts";
import { StoreUnavailableError } from "../core/ports/store-unavailable.ts";

type SlotLimits = {
  /** Transactions at a time. */
  readonly all: number;
  /** Transactions of one lane at a time. */
  readonly lane: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
};

type Waiting = { readonly lane: string | null; enter(): void };

export class ConnectionSlots {
  readonly #limits: SlotLimits;
  readonly #lanes = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #taken = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Runs `work` once there is a slot for it. Rejects with a StoreUnavailableError when there is none in time. */
  async use<Value>(lane: string | null, work: () => Promise<Value>): Promise<Value> {
    if (this.#isFree(lane)) this.#take(lane);
    else if (this.#waiting.size >= this.#limits.maxWaiting) throw tooMany();
    else await this.#wait(lane);
    try {
      return await work();
    } finally {
      this.#giveBack(lane);
    }
  }

  async #wait(lane: string | null): Promise<void> {
    const entered = new AbortController();
    const waiting: Waiting = { lane, enter: () => entered.abort() };
    this.#waiting.add(waiting);
    await systemClock.sleep(this.#limits.maxWaitMs, entered.signal).catch(() => {});
    if (entered.signal.aborted) return;
    this.#waiting.delete(waiting);
    throw tooMany();
  }

  #isFree(lane: string | null): boolean {
    if (this.#taken >= this.#limits.all) return false;
    return lane === null || (this.#lanes.get(lane) ?? 0) < this.#limits.lane;
  }

  #take(lane: string | null): void {
    this.#taken += 1;
    if (lane !== null) this.#lanes.set(lane, (this.#lanes.get(lane) ?? 0) + 1);
  }

  #giveBack(lane: string | null): void {
    this.#taken -= 1;
    if (lane !== null) {
      const left = (this.#lanes.get(lane) ?? 1) - 1;
      if (left === 0) this.#lanes.delete(lane);
      else this.#lanes.set(lane, left);
    }
    this.#admit();
  }

  /** Oldest first; those whose lane is full are passed over. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (this.#taken >= this.#limits.all) return;
      if (!this.#isFree(waiting.lane)) continue;
      this.#waiting.delete(waiting);
      this.#take(waiting.lane);
      waiting.enter();
    }
  }
}

function tooMany(): StoreUnavailableError {
  return new StoreUnavailableError(new Error("too many transactions wait for a connection to the database"));
}
