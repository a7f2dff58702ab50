// Retries: the one place that decides whether and when to try again.

import { type BackoffPolicy, nextDelayMs, type RetryNotice } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { ApiError, ConnectionError, DecodeError } from "./errors.ts";

/** A call that a person waits for: a little over a minute in all when the server names no delay. */
export const CALL_RETRY: BackoffPolicy = { attempts: 8, firstDelayMs: 500, maxDelayMs: 60_000 };

/** Following a run: outlives a restart of the service of several minutes. Starts anew after each good answer. */
export const FOLLOW_RETRY: BackoffPolicy = { attempts: 12, firstDelayMs: 500, maxDelayMs: 60_000 };

/** How a call is repeated. */
export type RetryOptions = {
  readonly policy: BackoffPolicy;
  readonly clock: Clock;
  /** A number in [0, 1): the jitter. */
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

/**
 * Runs `attempt` until it succeeds, fails for good, or no attempt is left; then rejects with the last failure.
 * Waits as the server asked in `Retry-After`, else exponentially with jitter. The caller vouches that repeating is safe.
 */
export async function retrying<Value>(options: RetryOptions, attempt: () => Promise<Value>): Promise<Value> {
  for (let attempts = 1; ; attempts += 1) {
    options.signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) throw error;
      const delayMs = nextDelayMs(options.policy, {
        attempt: attempts,
        retryAfterMs: retryAfterMs(error),
        random: options.random(),
      });
      if (delayMs === null) throw error;
      options.onRetry?.({ attempt: attempts, delayMs, error });
      await options.clock.sleep(delayMs, options.signal);
    }
  }
}

/** Another request is using the key at this moment. */
const inFlightCodes: ReadonlySet<string> = new Set(["idempotency_key_in_flight", "session_key_in_flight"]);

/** A fault of the service that stays until somebody mends it. */
const lastingCodes: ReadonlySet<string> = new Set(["contents_lost"]);

/** True for what may pass by itself: no answer, 5xx, 429, a key in flight, a page of some proxy in between. */
export function isTransient(error: unknown): error is Error {
  if (error instanceof ConnectionError) return error.code !== "certificate_refused";
  if (error instanceof ApiError) {
    if (lastingCodes.has(error.code)) return false;
    return isTransientStatus(error.status) || inFlightCodes.has(error.code);
  }
  return error instanceof DecodeError && (isTransientStatus(error.status) || isPage(error));
}

function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 429;
}

/** A 200 that holds a web page is somebody's maintenance notice. */
function isPage(error: DecodeError): boolean {
  return error.status < 300 && error.contentType.includes("html");
}

function retryAfterMs(error: unknown): number | undefined {
  return error instanceof ApiError || error instanceof DecodeError ? error.retryAfterMs : undefined;
}
