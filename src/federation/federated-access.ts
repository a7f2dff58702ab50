// Access to a model by a token that ends: exchanged at first use, renewed before it ends, one exchange at a time.

import type { RetryNotice } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { addressOf } from "../contract/models/federations.ts";
import { exchangeIdToken, type SendExchange, usedToken } from "./exchange-id-token.ts";
import { FederationError } from "./federation-error.ts";
import type { AccessToken, FederatedAccess, FederationIdentifiers, ModelFederation } from "./provider.ts";
import { openRenewedToken, type RenewedToken } from "./renewed-token.ts";

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

export type RenewedAccess = FederatedAccess &
  Pick<RenewedToken, "current" | "renewalInMs"> & {
    /** The identifiers that a service needs to find the API. Null: it needs none. */
    readonly address: FederationIdentifiers | null;
  };

/** Exchanges nothing until a token is asked for. */
export function openFederatedAccess(options: FederatedAccessOptions): RenewedAccess {
  const { federation, clock, random, onRetry, signal: ended } = options;
  const known = new Set<string>();
  const idTokens = new Set<string>();
  const keep = (secret: string) => {
    known.add(secret);
    options.onSecret(secret);
  };
  const exchange = async (): Promise<AccessToken> => {
    const idToken = await options.mintIdToken(federation.audience, ended);
    keep(idToken);
    if (options.isReusable !== true && idTokens.has(idToken)) throw usedToken(federation);
    idTokens.add(idToken);
    const { send } = options;
    const token = await exchangeIdToken(federation, { idToken, send, keep, clock, signal: ended });
    keep(token.accessToken);
    return token;
  };
  const { current, renewalInMs } = openRenewedToken({
    exchange,
    // Without a second token the first failure is the one that counts.
    errorAfter: (failed, error) =>
      FederationError.is(error) && error.code === "federation_token_used" ? failed : null,
    clock,
    random,
    onRetry,
    signal: ended,
  });
  return {
    provider: federation.provider,
    identifiers: federation.identifiers,
    address: addressOf(federation),
    current,
    token: async (signal) => (await current(signal)).accessToken,
    known: () => [...known],
    renewalInMs,
  };
}
