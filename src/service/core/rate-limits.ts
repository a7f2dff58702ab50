// Token buckets: how often one address, repository or owner may ask. In memory, bounded. Pure but for its own state.

const MAX_BUCKETS = 50_000;

type Bucket = { tokens: number; refilledAt: number };

export class RateLimits {
  readonly #buckets = new Map<string, Bucket>();

  /**
   * Takes one token of the bucket `key`, which holds `perMinute` and refills evenly. Zero when there was one, else
   * the milliseconds until there is.
   */
  take(options: { key: string; perMinute: number; now: number }): number {
    const { key, perMinute, now } = options;
    const perMs = perMinute / 60_000;
    const bucket = this.#buckets.get(key) ?? { tokens: perMinute, refilledAt: now };
    // Re-inserted last: the oldest untouched bucket is the first to go.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_BUCKETS) this.#dropOldest();
    bucket.tokens = Math.min(perMinute, bucket.tokens + (now - bucket.refilledAt) * perMs);
    bucket.refilledAt = now;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perMs);
    bucket.tokens -= 1;
    return 0;
  }

  #dropOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}
