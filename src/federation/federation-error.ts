// Errors of an exchange at a model provider that gave no access token. Pure.

/** Every reason. A new one needs its text in scripts/docs/reason-texts.ts. */
const federationReasons = [
  /** The provider did not accept the token under these identifiers, and says no more. */
  "federation_refused",
  /** The request is not of the form that the provider publishes: an identifier is not one of its own. */
  "federation_request_invalid",
  /** There is no such rule, policy or identity provider. */
  "federation_identifier_unknown",
  /** The account or the workspace that the identifiers name may not be used. */
  "federation_account_refused",
  "federation_audience_refused",
  /** The platform gives this process no ID token. */
  "federation_token_missing",
  "federation_token_expired",
  /** The job has no ID token that was not exchanged before. */
  "federation_token_used",
  "federation_token_too_large",
  "federation_unreachable",
  /** The provider is overloaded, or fails. */
  "federation_unavailable",
  "federation_answer_invalid",
] as const;
export type FederationReason = (typeof federationReasons)[number];

/** Reasons that may pass by themselves. The next try needs a fresh ID token. */
const transient: ReadonlySet<FederationReason> = new Set([
  "federation_unreachable",
  "federation_unavailable",
]);

type FederationFault = {
  readonly code: FederationReason;
  readonly message: string;
  /** Of the provider's answer; null where none came. */
  readonly status?: number | null;
  /** The delay that the provider asked for. */
  readonly retryAfterMs?: number | undefined;
  /** It may clear by itself: worth two more tries, so far apart. */
  readonly clearsInMs?: number | undefined;
  readonly cause?: unknown;
};

/** `code` is the reason; the message says what to change. Neither holds a token. */
export class FederationError extends Error {
  readonly code: FederationReason;
  readonly status: number | null;
  readonly retryAfterMs: number | undefined;
  readonly clearsInMs: number | undefined;
  readonly isFederationError = true;

  /** True also for an error from another bundle, which has a class of its own. */
  static is(value: unknown): value is FederationError {
    return value instanceof Error && "isFederationError" in value;
  }

  constructor({ code, message, status = null, retryAfterMs, clearsInMs, cause }: FederationFault) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "FederationError";
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.clearsInMs = clearsInMs;
  }

  get isTransient(): boolean {
    return transient.has(this.code);
  }
}
