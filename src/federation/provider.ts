// The exchange of an ID token for an access token of a model provider, as the provider publishes it. Types only. Each provider
// has its own file in providers/; the rest of it is a row of contract/models/providers.ts.
// Why: docs/decisions/043-the-repositorys-own-model.md

import type { FederatingProvider } from "../contract/models/providers.ts";
import type { FederationReason } from "./federation-error.ts";

/** By the names of the exchange's fields, such as `federation_rule_id`. */
type FederationIdentifiers = Readonly<Record<string, string>>;

/** Whose model, under which trust, for which audience. */
export type ModelFederation = {
  readonly provider: FederatingProvider;
  readonly identifiers: FederationIdentifiers;
  /** The audience of ID tokens. */
  readonly audience: string;
};

/** An access token of a provider. */
export type AccessToken = {
  /** A secret. */
  readonly accessToken: string;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly expiresAt: number;
};

/** A model's API as a federated account reaches it: at the address of the table, with a token that is renewed. */
export type FederatedAccess = {
  readonly provider: FederatingProvider;
  /** A token that is good for a request now. Rejects with FederationError, or with the signal's reason. */
  token(signal?: AbortSignal): Promise<string>;
  /** Every secret that it has held, for masks. */
  known(): readonly string[];
};

type ExchangeRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** An answer that is no token. `error` is the code of RFC 6749 §5.2, or the provider's own type of error. */
export type ExchangeRefusal = { readonly status: number; readonly error: string | null };

export type TokenExchange = {
  readonly exchangeUrl: string;
  /** Headers of every request to the API beside `Authorization: Bearer`. */
  readonly apiHeaders: Readonly<Record<string, string>>;
  /** The page where its administrators configure the trust. */
  readonly settingsPage: string;
  /** Fields that must fit there, as a list in a sentence. */
  readonly matches: string;
  readonly guideUrl: string;
  exchangeRequest(idToken: string, identifiers: FederationIdentifiers): ExchangeRequest;
  reasonOf(refusal: ExchangeRefusal): FederationReason;
};
