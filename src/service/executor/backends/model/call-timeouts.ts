// The timeouts of one model call: in all, until the answer begins, and between its parts. One timer a call.

import type { Clock } from "../../../../base/clock.ts";
import type { ModelLimits } from "./model-settings.ts";

export type CallTimeoutLimits = Pick<
  ModelLimits,
  "requestTimeoutMs" | "firstChunkTimeoutMs" | "idleTimeoutMs"
>;

/** The answer did not come in time. */
export class AnswerLate extends Error {
  override readonly name = "AnswerLate";
}

export class CallTimeouts {
  readonly #clock: Clock;
  readonly #limits: CallTimeoutLimits;
  readonly #ended = new AbortController();
  readonly #lost = new AbortController();
  readonly #begunAt: number;
  #heardAt: number;
  #hasBegun = false;

  constructor(clock: Clock, limits: CallTimeoutLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#begunAt = clock.now();
    this.#heardAt = this.#begunAt;
    this.#watch().catch(() => {});
  }

  /** Aborts when a timeout has passed. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** A piece of the answer has come. */
  hear(): void {
    this.#hasBegun = true;
    this.#heardAt = this.#clock.now();
  }

  end(): void {
    this.#ended.abort();
  }

  async #watch(): Promise<void> {
    for (;;) {
      const leftMs = this.#dueAt() - this.#clock.now();
      if (leftMs <= 0) break;
      await this.#clock.sleep(leftMs, this.#ended.signal);
    }
    this.#lost.abort(new AnswerLate());
  }

  #dueAt(): number {
    const { requestTimeoutMs, firstChunkTimeoutMs, idleTimeoutMs } = this.#limits;
    const quietMs = this.#hasBegun ? idleTimeoutMs : firstChunkTimeoutMs;
    return Math.min(this.#begunAt + requestTimeoutMs, this.#heardAt + quietMs);
  }
}
