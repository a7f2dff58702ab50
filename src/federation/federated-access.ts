// Access to a model by a token that ends: exchanged at first use, renewed before it ends, one exchange at a time.

import { type BackoffPolicy, nextDelayMs, type RetryNotice } from "../base/backoff.ts";
import { type Clock, msUntil } from "../base/clock.ts";
import { addressOf } from "../contract/models/federations.ts";
import { exchangeIdToken, type SendExchange, usedToken } from "./exchange-id-token.ts";
import { FederationError } from "./federation-error.ts";
import type { AccessToken, FederatedAccess, FederationIdentifiers, ModelFederation } from "./provider.ts";

/** Tries of an exchange whose refusal may clear by itself, such as that of a trust which was made a minute ago. */
const CLEARING_TRIES = 3;
const EXCHANGE_RETRY: BackoffPolicy = { attempts: 4, firstDelayMs: 500, maxDelayMs: 15_000 };
/** A token is renewed so long before its end, or in the last third of a shorter life. */
const RENEWED_BEFORE_MS = 120_000;
/** With less than this left, a request could arrive too late. */
const LEAST_LEFT_MS = 10_000;

type FederatedAccessOptions = {
  readonly federation: ModelFederation;
  /** A fresh ID token for the audience, each time another. */
  readonly mintIdToken: (audience: string, signal?: AbortSignal) => Promise<string>;
  /** Whether the same ID token may be exchanged again. Default: a provider takes each once. */
  readonly isReusable?: boolean;
  readonly send: SendExchange;
  readonly clock: Clock;
  /** A number in [0, 1): the jitter. */
  readonly random: () => number;
  /** Called with each ID token and each access token before it is used. */
  readonly onSecret: (secret: string) => void;
  readonly onRetry?: (notice: RetryNotice) => void;
  /** Ends what is under way. */
  readonly signal?: AbortSignal;
};

export type RenewedAccess = FederatedAccess & {
  /** The identifiers that a service needs to find the API. Null: it needs none. */
  readonly address: FederationIdentifiers | null;
  /** The token and its end. Rejects as `token` does. */
  current(signal?: AbortSignal): Promise<AccessToken>;
  /** The time until the token should be renewed. 0 where there is none. */
  renewalInMs(): number;
};

/** Times by the monotonic clock: a clock that is set makes no token older or younger. */
type Held = AccessToken & { readonly renewAtMs: number; readonly lastUseAtMs: number };

/** Exchanges nothing until a token is asked for. */
export function openFederatedAccess(options: FederatedAccessOptions): RenewedAccess {
  const { federation, clock, signal: ended } = options;
  const known = new Set<string>();
  const idTokens = new Set<string>();
  let held: Held | null = null;
  let pending: Promise<Held> | null = null;

  const keep = (secret: string) => {
    known.add(secret);
    options.onSecret(secret);
  };
  const exchangeOnce = async (): Promise<Held> => {
    const idToken = await options.mintIdToken(federation.audience, ended);
    keep(idToken);
    if (options.isReusable !== true && idTokens.has(idToken)) throw usedToken(federation);
    idTokens.add(idToken);
    const begunAtMs = clock.monotonic();
    const { send } = options;
    const token = await exchangeIdToken(federation, { idToken, send, keep, clock, signal: ended });
    keep(token.accessToken);
    const tookMs = clock.monotonic() - begunAtMs;
    const lifeMs = msUntil(clock, token.expiresAt) + tookMs;
    return {
      ...token,
      renewAtMs: begunAtMs + lifeMs - Math.min(RENEWED_BEFORE_MS, lifeMs / 3),
      lastUseAtMs: begunAtMs + lifeMs - Math.min(LEAST_LEFT_MS, lifeMs / 10),
    };
  };
  const exchange = async (): Promise<Held> => {
    let failed: FederationError | null = null;
    for (let attempt = 1; ; attempt += 1) {
      try {
        held = await exchangeOnce();
        return held;
      } catch (error) {
        // Without a second token the first failure is the one that counts.
        if (FederationError.is(error) && error.code === "federation_token_used") throw failed ?? error;
        if (!FederationError.is(error)) throw error;
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
    provider: federation.provider,
    identifiers: federation.identifiers,
    address: addressOf(federation),
    current,
    token: async (signal) => (await current(signal)).accessToken,
    known: () => [...known],
    renewalInMs: () => (held === null ? 0 : Math.max(0, held.renewAtMs - clock.monotonic())),
  };
}

/** Null: another try would fail as this one did. */
function delayAfter(
  { isTransient, retryAfterMs, clearsInMs }: FederationError,
  { attempt, random }: { readonly attempt: number; readonly random: number },
): number | null {
  if (isTransient) return nextDelayMs(EXCHANGE_RETRY, { attempt, retryAfterMs, random });
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
