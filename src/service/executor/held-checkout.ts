// The checkout of one run, from when it is opened until it is removed: not before the backend has ended that works in
// it. A run that is stopped has its ending at once; its agent may still have to be ended.

import type { Core } from "../core/core.ts";
import type { Checkout } from "../core/ports/checkout.ts";

const STOPS_WITHIN_MS = 30_000;

export type HeldCheckoutOptions = {
  readonly core: Pick<Core, "clock" | "log">;
  readonly runId: string;
  /** Aborts when nothing is waited for any more: the service ends. */
  readonly isOver: AbortSignal;
};

export class HeldCheckout {
  readonly #options: HeldCheckoutOptions;
  #checkout: Checkout | null = null;
  #stopsWithinMs = STOPS_WITHIN_MS;
  #working: Promise<void> | null = null;

  constructor(options: HeldCheckoutOptions) {
    this.#options = options;
  }

  hold(checkout: Checkout): void {
    this.#checkout = checkout;
  }

  /** Whether a backend works in it. */
  get isInUse(): boolean {
    return this.#working !== null;
  }

  /** Takes note that it is worked in until `work` settles. Returns the work. */
  use<Value>(work: Promise<Value>, stopsWithinMs: number = STOPS_WITHIN_MS): Promise<Value> {
    const done = () => {
      this.#working = null;
    };
    this.#stopsWithinMs = stopsWithinMs;
    this.#working = work.then(done, done);
    return work;
  }

  /** Removes it, once nobody works in it or has had the time to end. Never rejects. */
  async remove(): Promise<void> {
    const checkout = this.#checkout;
    if (checkout === null) return;
    const { core, runId } = this.#options;
    if (this.#working !== null) await this.#untilUnused(this.#working);
    await checkout.close().catch((cause: unknown) => {
      core.log.warn({ run_id: runId, err: cause }, "checkout could not be removed");
    });
  }

  async #untilUnused(working: Promise<void>): Promise<void> {
    const { core, runId, isOver } = this.#options;
    const isUnused = new AbortController();
    const patience = core.clock.sleep(this.#stopsWithinMs, AbortSignal.any([isOver, isUnused.signal])).then(
      () =>
        core.log.warn(
          { run_id: runId },
          "the backend has not ended in time: its checkout is removed under it",
        ),
      () => {},
    );
    await Promise.race([working, patience]);
    isUnused.abort();
  }
}
