// The checkout of one run, from opening to removal. It is removed only after the backend that works in it has ended:
// a stopped run is settled at once, while its agent may still be ending.

import type { Checkout } from "../core/checkouts/checkout.ts";
import type { PreparedEnvironment } from "../core/checkouts/environment.ts";
import type { Core } from "../core/core.ts";
import { RunStopped } from "./stop-reason.ts";

const STOPS_WITHIN_MS = 30_000;
/** Less than the executor's grace period of work that was told to stop. */
const LAST_ENTRY_MS = 1_800;

type HeldCheckoutOptions = {
  readonly core: Pick<Core, "clock" | "log">;
  readonly runId: string;
  /** Aborts when the service ends and waits no longer. */
  readonly isOver: AbortSignal;
};

export class HeldCheckout {
  readonly #options: HeldCheckoutOptions;
  /** In the order in which they are closed. */
  #held: { readonly close: () => Promise<void>; readonly what: string }[] = [];
  #stopsWithinMs = STOPS_WITHIN_MS;
  #working: Promise<void> | null = null;

  constructor(options: HeldCheckoutOptions) {
    this.#options = options;
  }

  hold(checkout: Pick<Checkout, "close">): void {
    this.#held.unshift({ close: () => checkout.close(), what: "checkout" });
  }

  /** The home of the run's commands: removed like the checkout. */
  holdHome(environment: Pick<PreparedEnvironment, "close">): void {
    this.#held.unshift({ close: () => environment.close(), what: "home" });
  }

  /** Whether a backend works in it. */
  get isInUse(): boolean {
    return this.#working !== null;
  }

  /** Marks it as in use until `work` settles. Returns `work`. */
  use<Value>(work: Promise<Value>, stopsWithinMs: number = STOPS_WITHIN_MS): Promise<Value> {
    const done = () => {
      this.#working = null;
    };
    this.#stopsWithinMs = stopsWithinMs;
    this.#working = work.then(done, done);
    return work;
  }

  /** Where the service stops: the time in which its backend keeps what it has. Never rejects. */
  async untilKept(cause: unknown): Promise<void> {
    if (!(cause instanceof RunStopped) || cause.kind !== "shutdown") return;
    const { core, isOver } = this.#options;
    const isDone = new AbortController();
    const late = new AbortController();
    const giveUp = () => late.abort();
    void core.clock.sleep(LAST_ENTRY_MS, AbortSignal.any([isOver, isDone.signal])).then(giveUp, giveUp);
    await this.isFreeBefore(late.signal);
    isDone.abort();
  }

  /** Resolves once it is not in use, or when the signal aborts. Returns whether it is free. Never rejects. */
  async isFreeBefore(signal: AbortSignal): Promise<boolean> {
    if (this.#working !== null) await Promise.race([this.#working, aborted(signal)]);
    return !this.isInUse;
  }

  /** Removes it once it is not in use, or the time to end has passed. Never rejects. */
  async remove(): Promise<void> {
    if (this.#held.length === 0) return;
    const { core, runId } = this.#options;
    if (this.#working !== null) await this.#untilUnused(this.#working);
    for (const { close, what } of this.#held) {
      await close().catch((cause: unknown) => {
        core.log.warn({ run_id: runId, err: cause }, `${what} could not be removed`);
      });
    }
  }

  async #untilUnused(working: Promise<void>): Promise<void> {
    const { core, runId, isOver } = this.#options;
    const isUnused = new AbortController();
    const gracePeriod = core.clock
      .sleep(this.#stopsWithinMs, AbortSignal.any([isOver, isUnused.signal]))
      .then(
        () =>
          core.log.warn(
            { run_id: runId },
            "the backend has not ended in time: its checkout is removed under it",
          ),
        () => {},
      );
    await Promise.race([working, gracePeriod]);
    isUnused.abort();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
