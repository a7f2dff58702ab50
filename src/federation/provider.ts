// The exchange of an ID token for an access token of a model provider, as the provider publishes it. Types only. Each provider
// has its own file in providers/; the rest of it is a row of contract/models/providers.ts.
// Why: docs/decisions/043-the-repositorys-own-model.md

import type { FederatingProvider } from "../contract/models/providers.ts";
import type { FederationReason } from "./federation-error.ts";

/** By the names of the exchange's fields, such as `federation_rule_id`. */
export type FederationIdentifiers = Readonly<Record<string, string>>;

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
  /** Those of the address at least. */
  readonly identifiers: FederationIdentifiers;
  /** A token that is good for a request now. Rejects with FederationError, or with the signal's reason. */
  token(signal?: AbortSignal): Promise<string>;
  /** Every secret that it has held, for masks. */
  known(): readonly string[];
};

/** One request of an exchange, always a POST. */
export type ExchangeStep = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Sends one step, to a host of the provider alone. Returns the fields of its answer, and rejects with FederationError for any other. */
export type SendStep = (step: ExchangeStep) => Promise<Readonly<Record<string, unknown>>>;

export type ExchangeParts = {
  /** For one use. */
  readonly idToken: string;
  readonly identifiers: FederationIdentifiers;
  readonly send: SendStep;
  /** Called with each secret on the way, before it is used. */
  readonly keep: (secret: string) => void;
  readonly nowMs: number;
};

/** The token as its provider gave it: nothing of it is checked. */
export type Granted = {
  readonly accessToken: unknown;
  readonly type?: unknown;
  /** Undefined: the provider leaves it out. */
  readonly expiresInSeconds?: unknown;
};

/** An answer that is no token. `error` is the code of RFC 6749 §5.2, or the provider's own type of error. */
export type ExchangeRefusal = {
  readonly status: number;
  readonly error: string | null;
  /** As the provider wrote it: never shown as it is. */
  readonly text: string;
  readonly url: string;
};

/** The reason of a refusal, where the provider says more than most with what to change. */
export type Explained =
  | FederationReason
  | {
      readonly code: FederationReason;
      /** Whole sentences. */
      readonly advice: string;
      /** It may clear by itself: the exchange is worth two more tries, so far apart. */
      readonly clearsInMs?: number;
    };

export type TokenExchange = {
  /** Of its first step. */
  exchangeUrl(identifiers: FederationIdentifiers): string;
  /** Headers of every request to the API beside `Authorization: Bearer`. */
  readonly apiHeaders: Readonly<Record<string, string>>;
  /** The page where its administrators configure the trust. */
  readonly settingsPage: string;
  /** Fields that must fit there, as a list in a sentence. */
  readonly matches: string;
  readonly guideUrl: string;
  /** The right that an account needs to ask a model. Default: to be a member of the workspace or project. */
  readonly neededRight?: string;
  /** All steps, the last of which gives the token. */
  exchange(parts: ExchangeParts): Promise<Granted>;
  explain(refusal: ExchangeRefusal, federation: ModelFederation): Explained;
};
