// A circuit breaker for a server: after some failures in a row only one request at a time, now and then, finds out whether it
// answers again. In memory, of this process.

import type { Clock } from "../../base/clock.ts";
import type { BlobHealth } from "../core/blobs/blob-store.ts";

/** Failures in a row after which a server counts as away. */
const FAILURES = 3;
/** The time for which a server that is away is left alone. */
const REST_MS = 5_000;

export class CircuitBreaker {
  readonly #clock: Pick<Clock, "monotonic">;
  #failures = 0;
  #total = 0;
  #closedUntil = 0;
  #isTrying = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Whether to ask now. Each true is followed by one `asked`, and before that by `succeeded` or `failed` where it is known. */
  mayAsk(): boolean {
    if (this.#failures < FAILURES) return true;
    if (this.#isTrying || this.#clock.monotonic() < this.#closedUntil) return false;
    this.#isTrying = true;
    return true;
  }

  /** It answered, whatever it said. */
  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    this.#total += 1;
    this.#closedUntil = this.#clock.monotonic() + REST_MS;
  }

  asked(): void {
    this.#isTrying = false;
  }

  health(): BlobHealth {
    return { isAvailable: this.#failures < FAILURES, failures: this.#total };
  }
}
