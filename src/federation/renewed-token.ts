// An access token that ends: asked for at its first use, renewed before it ends, one request at a time.

import { type BackoffPolicy, nextDelayMs, type RetryNotice } from "../base/backoff.ts";
import { type Clock, msUntil } from "../base/clock.ts";
import type { AccessToken } from "./provider.ts";

const RETRY: BackoffPolicy = { attempts: 4, firstDelayMs: 500, maxDelayMs: 15_000 };
/** Tries of an exchange whose refusal may clear by itself, such as that of a trust which was made a minute ago. */
const CLEARING_TRIES = 3;
/** A token is renewed so long before its end, or in the last third of a shorter life. */
const RENEWED_BEFORE_MS = 120_000;
/** With less than this left, a request could arrive too late. */
const LEAST_LEFT_MS = 10_000;

export type RenewedToken = {
  /** The token and its end. Rejects as `exchange` does, or with the signal's reason. */
  current(signal?: AbortSignal): Promise<AccessToken>;
  /** Asks for another token, whatever life is left of this one. */
  renew(signal?: AbortSignal): Promise<AccessToken>;
  /** The token that is held, as long as it is good. Asks for none. */
  held(): AccessToken | null;
  /** The time until the token should be renewed. 0 where there is none. */
  renewalInMs(): number;
};

type RenewedTokenOptions = {
  /**
   * Asks once. An error with `isTransient` may pass by itself; `retryAfterMs` is the delay that was asked for. One with `clearsInMs` is a refusal
   * that may clear in that time.
   */
  readonly exchange: () => Promise<AccessToken>;
  /** The error that counts where another try has failed with `error`. Null: the exchange is tried no more. Default: `error`. */
  readonly errorAfter?: (failed: Error, error: unknown) => Error | null;
  readonly clock: Clock;
  /** A number in [0, 1): the jitter. */
  readonly random: () => number;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** Ends what is under way. */
  readonly signal?: AbortSignal | undefined;
};

/** Times by the monotonic clock: a clock that is set makes no token older or younger. */
type Held = AccessToken & { readonly renewAtMs: number; readonly lastUseAtMs: number };

type ExchangeError = Error & {
  readonly isTransient: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly clearsInMs?: number | undefined;
};

/** Asks for nothing until a token is needed. */
export function openRenewedToken(options: RenewedTokenOptions): RenewedToken {
  const { clock, signal: ended } = options;
  let held: Held | null = null;
  let pending: Promise<Held> | null = null;

  const exchangeOnce = async (): Promise<Held> => {
    const begunAtMs = clock.monotonic();
    const token = await options.exchange();
    const tookMs = clock.monotonic() - begunAtMs;
    const lifeMs = msUntil(clock, token.expiresAt) + tookMs;
    return {
      ...token,
      renewAtMs: begunAtMs + lifeMs - Math.min(RENEWED_BEFORE_MS, lifeMs / 3),
      lastUseAtMs: begunAtMs + lifeMs - Math.min(LEAST_LEFT_MS, lifeMs / 10),
    };
  };
  const exchange = async (): Promise<Held> => {
    let failed: Error | null = null;
    for (let attempt = 1; ; attempt += 1) {
      try {
        held = await exchangeOnce();
        return held;
      } catch (error) {
        const final = failed === null ? null : (options.errorAfter?.(failed, error) ?? null);
        if (final !== null) throw final;
        if (!isExchangeError(error)) throw error;
        failed = error;
        const delayMs = delayAfter(error, { attempt, random: options.random() });
        if (delayMs === null) throw error;
        options.onRetry?.({ attempt, delayMs, error });
        await clock.sleep(delayMs, ended);
      }
    }
  };
  const renew = (): Promise<Held> => {
    pending ??= exchange().finally(() => {
      pending = null;
    });
    return pending;
  };
  const current = async (signal?: AbortSignal): Promise<AccessToken> => {
    signal?.throwIfAborted();
    const nowMs = clock.monotonic();
    if (held !== null && nowMs < held.renewAtMs) return held;
    const renewed = unlessAborted(renew(), signal);
    if (held === null || nowMs >= held.lastUseAtMs) return await renewed;
    const usable = held;
    // A token that is still good is used as long as there is no other.
    return await renewed.catch((error: unknown) => {
      signal?.throwIfAborted();
      if (clock.monotonic() < usable.lastUseAtMs) return usable;
      throw error;
    });
  };
  return {
    current,
    renew: async (signal) => await unlessAborted(renew(), signal),
    held: () => (held !== null && clock.monotonic() < held.lastUseAtMs ? held : null),
    renewalInMs: () => (held === null ? 0 : Math.max(0, held.renewAtMs - clock.monotonic())),
  };
}

/** By its form: an error of another bundle has a class of its own. */
function isExchangeError(error: unknown): error is ExchangeError {
  return error instanceof Error && "isTransient" in error;
}

/** Null: another try would fail as this one did. */
function delayAfter(
  { isTransient, retryAfterMs, clearsInMs }: ExchangeError,
  { attempt, random }: { readonly attempt: number; readonly random: number },
): number | null {
  if (isTransient) return nextDelayMs(RETRY, { attempt, retryAfterMs, random });
  return clearsInMs === undefined || attempt >= CLEARING_TRIES ? null : clearsInMs;
}

/** Rejects as soon as the caller leaves. The exchange goes on for the others. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return await work;
  return await new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
