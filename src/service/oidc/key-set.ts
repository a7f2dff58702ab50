// One issuer's keys, kept: fetched at first use, again when old or when a token names a new key, never more often
// than the cooldown, whatever anyone sends. jose's remote set counts its cooldown from the last success, so that
// an endpoint that is down would get a request for every token; this one counts attempts.
// Why: docs/decisions/010-allow-events-per-issuer.md

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { type Result, refused } from "../../base/result.ts";
import type { ExchangeRefusal } from "../core/ci/refusals.ts";
import { KeySetFault, requestKeySet } from "./key-set-request.ts";
import { importSigningKey, type PinnedAlgorithm } from "./signing-key.ts";

/** Keys older than this are fetched again before they are used. */
export const KEY_SET_MAX_AGE_MS = 600_000;
/** While the endpoint is down, keys are used up to this age. */
export const KEY_SET_MAX_STALE_MS = 86_400_000;
/** The shortest time between two requests. */
export const KEY_SET_COOLDOWN_MS = 30_000;
/** The same while there are no keys at all: nothing works until they come. */
export const EMPTY_KEY_SET_COOLDOWN_MS = 5_000;

type KeySetOptions = {
  readonly issuer: string;
  readonly url: string;
  readonly algorithm: PinnedAlgorithm;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
};

export interface KeySet {
  /**
   * The key of that id. Opens a socket to the pinned URL only, at most once in a cooldown, once for all who wait.
   * Refuses with `key_unknown`, `key_refused` (weak, or not for signatures) or `keys_unavailable`.
   */
  find(kid: string): Promise<Result<CryptoKey, ExchangeRefusal>>;
}

type Keys = { readonly byKid: ReadonlyMap<string, Result<CryptoKey, string>>; readonly fetchedAt: number };

export function makeKeySet(options: KeySetOptions): KeySet {
  const { clock, logger, issuer } = options;
  let keys: Keys | null = null;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let lastFailed = false;
  let pending: Promise<void> | null = null;

  const ageMs = () => (keys === null ? Number.POSITIVE_INFINITY : clock.monotonic() - keys.fetchedAt);
  const isUsable = () => ageMs() <= KEY_SET_MAX_STALE_MS;
  const mayRequest = () => {
    const cooldownMs = isUsable() ? KEY_SET_COOLDOWN_MS : EMPTY_KEY_SET_COOLDOWN_MS;
    return pending !== null || clock.monotonic() - attemptedAt >= cooldownMs;
  };

  const refresh = () => {
    pending ??= load().finally(() => {
      pending = null;
    });
    return pending;
  };

  const load = async () => {
    try {
      const entries = await requestKeySet(options);
      keys = { byKid: await importAll(entries, options), fetchedAt: clock.monotonic() };
      lastFailed = false;
    } catch (cause) {
      if (!(cause instanceof KeySetFault)) throw cause;
      lastFailed = true;
      const next = isUsable() ? "Keys kept from before are used." : "Tokens of this issuer are refused.";
      logger.warn({ issuer, code: cause.code, err: cause }, `${cause.message} ${next}`);
    } finally {
      attemptedAt = clock.monotonic();
    }
  };

  return {
    find: async (kid) => {
      if (ageMs() > KEY_SET_MAX_AGE_MS && mayRequest()) await refresh();
      if (keys?.byKid.has(kid) !== true && mayRequest()) await refresh();
      if (keys === null || !isUsable()) return unavailable();
      const found = keys.byKid.get(kid);
      // A key that is missing from stale keys may be one that we could not fetch.
      if (found === undefined) return lastFailed ? unavailable() : unknown();
      return found.ok ? found : weak(found.refusal);
    },
  };
}

async function importAll(entries: readonly Readonly<Record<string, unknown>>[], options: KeySetOptions) {
  const byKid = new Map<string, Result<CryptoKey, string>>();
  for (const entry of entries) {
    const { kid } = entry;
    if (typeof kid !== "string" || byKid.get(kid)?.ok === true) continue;
    const key = await importSigningKey(entry, options.algorithm);
    if (!key.ok) options.logger.warn({ issuer: options.issuer, kid }, `Key not used: it ${key.refusal}.`);
    byKid.set(kid, key);
  }
  return byKid;
}

function unavailable() {
  const detail = "The keys of the token's issuer cannot be fetched now. Try again with a fresh token.";
  return refused<ExchangeRefusal>({ reason: "keys_unavailable", detail });
}

function unknown() {
  const detail = `The token is signed with a key that its issuer does not publish. If the issuer has just changed its keys, try again in ${KEY_SET_COOLDOWN_MS / 1000} s.`;
  return refused<ExchangeRefusal>({ reason: "key_unknown", detail });
}

function weak(fault: string) {
  const detail = `The token's key ${fault}. The issuer's operator has to replace it.`;
  return refused<ExchangeRefusal>({ reason: "key_refused", detail });
}
