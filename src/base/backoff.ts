// Delays between attempts. Pure.

/** How often a call is tried, and how long is waited in between: twice as long each time, with jitter. */
export type BackoffPolicy = {
  /** Attempts in all, the first one included. */
  readonly attempts: number;
  /** The delay after the first failure, in milliseconds. */
  readonly firstDelayMs: number;
  /** The longest delay. A service that asks for a longer one ends the attempts. */
  readonly maxDelayMs: number;
};

/** The retry that is waited for: told before each wait, for a log line. */
export type RetryNotice = {
  /** Attempts made so far. */
  readonly attempt: number;
  /** The delay before the next one, in milliseconds. */
  readonly delayMs: number;
  /** Why the last one failed. */
  readonly error: Error;
};

type BackoffStep = {
  /** Attempts made so far, 1 after the first failure. */
  readonly attempt: number;
  /** The delay that the server requested, if any; wins over the policy within `maxDelayMs`. */
  readonly retryAfterMs?: number | undefined;
  /** A number in [0, 1): the jitter. */
  readonly random: number;
};

/**
 * The delay before the next attempt in milliseconds: exponential with full jitter,
 * or what the server requested plus up to a tenth. Null when no attempt is left, or
 * when the server requests more than `maxDelayMs`.
 */
export function nextDelayMs(policy: BackoffPolicy, step: BackoffStep): number | null {
  if (step.attempt >= policy.attempts) return null;
  if (step.retryAfterMs !== undefined) {
    if (step.retryAfterMs > policy.maxDelayMs) return null;
    return Math.round(step.retryAfterMs * (1 + step.random / 10));
  }
  const ceilingMs = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (step.attempt - 1));
  return Math.round(ceilingMs * (0.5 + step.random / 2));
}

/** Reads a `Retry-After` header (seconds or an HTTP date, RFC 9110 §10.2.3). Undefined when absent or unreadable. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header.trim()) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
