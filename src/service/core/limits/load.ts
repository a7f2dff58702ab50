// The load limit of one node. What is beyond is refused at once, so that what was taken is answered in time.

import type { OverloadRefusal } from "./refusals.ts";

declare module "../core.ts" {
  interface Core {
    readonly load: Load;
  }
}

export type LoadLimits = {
  /** Requests that are worked on. One that only waits for an event is not. */
  readonly requests: number;
  /** Requests that wait for an event. */
  readonly polls: number;
  readonly sockets: number;
};

type LoadKind = keyof LoadLimits;

export class Load {
  readonly #limits: LoadLimits;
  readonly #taken = { requests: 0, polls: 0, sockets: 0 };

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  /** The load that is taken now. A request that waits for an event is a poll, and nothing else meanwhile. */
  get taken(): LoadLimits {
    const { requests, polls, sockets } = this.#taken;
    return { requests: Math.max(0, requests - polls), polls, sockets };
  }

  /** Takes one more, or says why not. Each one that was taken is given back by `leave`. */
  enter(kind: LoadKind): OverloadRefusal | null {
    if (this.taken[kind] >= this.#limits[kind]) {
      return { reason: "overloaded", what: kind, allowed: this.#limits[kind] };
    }
    this.#taken[kind] += 1;
    return null;
  }

  leave(kind: LoadKind): void {
    this.#taken[kind] -= 1;
  }
}
