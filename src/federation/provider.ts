// What a model provider that federates publishes: where an ID token is exchanged, for what, and where the API is. Types only,
// but for the names. Each provider has its own file in providers/.
// Why: docs/decisions/043-the-repositorys-own-model.md

import type { FederationReason } from "./federation-error.ts";

export const federationProviderNames = ["anthropic", "openai", "openrouter"] as const;
export type FederationProviderName = (typeof federationProviderNames)[number];

/** One of the names by which an exchange says which trust it relies on. None is a secret. */
export type FederationIdentifier = {
  /** As the provider calls it. */
  readonly title: string;
  /** Completes the sentence "… must be". */
  readonly allowed: string;
  readonly pattern: RegExp;
  readonly isRequired: boolean;
};

/** By the names of the exchange's fields, such as `federation_rule_id`. */
export type FederationIdentifiers = Readonly<Record<string, string>>;

/** Whose model, under which trust, for which audience. */
export type ModelFederation = {
  readonly provider: FederationProviderName;
  readonly identifiers: FederationIdentifiers;
  /** What ID tokens are made for. */
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
  readonly provider: FederationProviderName;
  /** A token that is good for a request now. Rejects with FederationError, or with the signal's reason. */
  token(signal?: AbortSignal): Promise<string>;
  /** Every secret that it has held, for masks. */
  known(): readonly string[];
};

export type ExchangeRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** An answer that is no token. `error` is the code of RFC 6749 §5.2, or the provider's own type of error. */
export type ExchangeRefusal = { readonly status: number; readonly error: string | null };

export type FederationProvider = {
  /** As people know it. */
  readonly title: string;
  /** What ID tokens are made for unless the provider is configured otherwise. */
  readonly audience: string;
  readonly exchangeUrl: string;
  /** With the version, without a trailing slash. */
  readonly apiBaseUrl: string;
  /** What other coding agents speak with it. */
  readonly wire: "anthropic" | "openai-compatible";
  /** What the built-in agent does: "openai" is the Responses API. */
  readonly agentProtocol: "anthropic" | "openai" | "openai-compatible";
  /** Headers of every request to the API beside `Authorization: Bearer`. */
  readonly apiHeaders: Readonly<Record<string, string>>;
  /** By the names of the exchange's fields. */
  readonly identifiers: Readonly<Record<string, FederationIdentifier>>;
  /** Where its administrators configure the trust. */
  readonly settingsPage: string;
  /** What must fit there, as a list in a sentence. */
  readonly matches: string;
  readonly guideUrl: string;
  exchangeRequest(idToken: string, identifiers: FederationIdentifiers): ExchangeRequest;
  reasonOf(refusal: ExchangeRefusal): FederationReason;
};
