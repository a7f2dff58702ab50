// What an agent tells again of a session that it loads. Nothing of it is new.

import type { Clock } from "../../../../../base/clock.ts";

/** After the last of it. */
const QUIET_MS = 300;
/** Before the first of it. */
const FIRST_MS = 3_000;
const MAX_MS = 10_000;

export class Replay {
  readonly #clock: Clock;
  #count = 0;
  #heardAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One update more. */
  add(): void {
    this.#count += 1;
    this.#heardAtMs = this.#clock.monotonic();
  }

  /**
   * Resolves when nothing more comes after `load`: some agents answer before they have told all of it. False where nothing came:
   * the agent has not loaded anything.
   */
  async after(load: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    await load();
    const from = this.#clock.monotonic();
    for (let now = from; now - from < MAX_MS; now = this.#clock.monotonic()) {
      const until = this.#count === 0 ? from + FIRST_MS : Math.max(from, this.#heardAtMs) + QUIET_MS;
      if (now >= until) break;
      await this.#clock.sleep(Math.min(until - now, QUIET_MS), signal);
    }
    return this.#count > 0;
  }
}
