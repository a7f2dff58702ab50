// Token buckets: the rate of requests of one address, caller, repository or owner. In memory, bounded. Pure but for its own
// state.
// Why: docs/decisions/015-limits-in-the-memory-of-a-node.md

import type { RateLimits } from "../../core/limits/rate-limits.ts";

const MAX_BUCKETS = 50_000;
const MAX_KNOWN_CREDENTIALS = 50_000;

/** Holds `perMinute` tokens, and refills evenly. */
export class TokenBucket {
  #tokens: number;
  #refilledAt: number;

  constructor(full: { perMinute: number; now: number }) {
    this.#tokens = full.perMinute;
    this.#refilledAt = full.now;
  }

  /** Takes one token. Zero when there was one, else the milliseconds until there is. */
  take({ perMinute, now }: { perMinute: number; now: number }): number {
    const perMs = perMinute / 60_000;
    this.#tokens = Math.min(perMinute, this.#tokens + (now - this.#refilledAt) * perMs);
    this.#refilledAt = now;
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) / perMs);
    this.#tokens -= 1;
    return 0;
  }

  /** Puts back a token that was taken. The next `take` cuts what is above the bucket's size. */
  giveBack(): void {
    this.#tokens += 1;
  }
}

export class TokenBuckets implements RateLimits {
  readonly #buckets = new RecentMap<TokenBucket>(MAX_BUCKETS);
  readonly #bucketsOfCredentials = new RecentMap<string>(MAX_KNOWN_CREDENTIALS);

  take(options: { key: string; perMinute: number; now: number }): number {
    const { key, perMinute, now } = options;
    const bucket = this.#buckets.get(key) ?? new TokenBucket({ perMinute, now });
    this.#buckets.set(key, bucket);
    return bucket.take({ perMinute, now });
  }

  giveBack(key: string): void {
    this.#buckets.get(key)?.giveBack();
  }

  bucketOfCredential(hash: string): string | undefined {
    return this.#bucketsOfCredentials.get(hash);
  }

  rememberCredential(hash: string, bucket: string): void {
    this.#bucketsOfCredentials.set(hash, bucket);
  }

  forgetCredential(hash: string): void {
    this.#bucketsOfCredentials.delete(hash);
  }
}

/** At most `max` entries: the one that was written the longest time ago is removed first. */
class RecentMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
