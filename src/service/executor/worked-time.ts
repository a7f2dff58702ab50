// The time that the workers of a run were at it, by their monotonic clocks.

import type { Clock } from "../../base/clock.ts";

export class WorkedTime {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #begunAt: number;
  #earlierMs = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#begunAt = clock.monotonic();
  }

  /** Adds the time of earlier workers. */
  add(ms: number): void {
    this.#earlierMs += ms;
  }

  get ms(): number {
    return this.#earlierMs + this.#clock.monotonic() - this.#begunAt;
  }
}
