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
  readonly #timedOut = new AbortController();
  readonly #startedAt: number;
  #lastPartAt: number;
  #hasStarted = false;

  constructor(clock: Clock, limits: CallTimeoutLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startedAt = clock.monotonic();
    this.#lastPartAt = this.#startedAt;
    this.#watch().catch(() => {});
  }

  /** Aborts when a timeout has passed. */
  get signal(): AbortSignal {
    return this.#timedOut.signal;
  }

  /** Restarts the idle timeout: a part of the answer has arrived. */
  restart(): void {
    this.#hasStarted = true;
    this.#lastPartAt = this.#clock.monotonic();
  }

  end(): void {
    this.#ended.abort();
  }

  async #watch(): Promise<void> {
    for (;;) {
      const leftMs = this.#dueAt() - this.#clock.monotonic();
      if (leftMs <= 0) break;
      await this.#clock.sleep(leftMs, this.#ended.signal);
    }
    this.#timedOut.abort(new AnswerLate());
  }

  #dueAt(): number {
    const { requestTimeoutMs, firstChunkTimeoutMs, idleTimeoutMs } = this.#limits;
    const idleMs = this.#hasStarted ? idleTimeoutMs : firstChunkTimeoutMs;
    return Math.min(this.#startedAt + requestTimeoutMs, this.#lastPartAt + idleMs);
  }
}
