// Errors of a call. Branch on the class and on `code`, never on the message. Pure.

import type { WrongField } from "../contract/problems/problem.ts";

/** The client's own codes. An ApiError has the service's. */
export type ClientErrorReason =
  | "connection_failed"
  | "timed_out"
  | "certificate_refused"
  | "unexpected_answer"
  | "events_missing";
/** The client's own codes, and those of the service, which are open: a newer service may have more. */
export type ClientErrorCode = ClientErrorReason | (string & {});

/** Base of everything that the client throws of its own accord. An abort rejects with the signal's reason instead. */
export class ClientError extends Error {
  /** Stable word for the cause. */
  readonly code: ClientErrorCode;
  /** Always true. Tells errors of this client from all others; read by `ClientError.is`. */
  readonly isClientError = true;

  /** True also for an error from another bundle, which has a class of its own. */
  static is(value: unknown): value is ClientError {
    return value instanceof Error && "isClientError" in value;
  }

  constructor(code: ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** What an ApiError is made of. */
export type ApiErrorFields = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly call?: string | undefined;
  readonly reason?: string | undefined;
  readonly expected?: string | undefined;
  readonly got?: string | undefined;
  readonly audience?: string | undefined;
  readonly claimUrl?: string | null | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly fields?: readonly WrongField[] | undefined;
  readonly currentEtag?: string | null | undefined;
};

/** The service answered, and said no. `code` is one of the contract's problem codes or a newer one. */
export class ApiError extends ClientError {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The id that the service logged the request under. */
  readonly requestId: string;
  /** Method, host and path of the request; undefined where the error was made without one. */
  readonly call: string | undefined;
  /** Finer than `code`, where the service gives one. */
  readonly reason: string | undefined;
  /** The value that was expected of a token or of a policy. */
  readonly expected: string | undefined;
  /** The value that the token had in its place. */
  readonly got: string | undefined;
  /** The kind of the account that has no credits, with a 402: `anon`, `registered_free` or `subscribed`. */
  readonly audience: string | undefined;
  /** Where an account claims the repository's agent, with a 402; null elsewhere. */
  readonly claimUrl: string | null;
  /** The fields of the request that are wrong, and what is allowed there. */
  readonly fields: readonly WrongField[];
  /** The ETag that holds, with `precondition_failed`. */
  readonly currentEtag: string | null;
  /** The delay that the service asks for, in milliseconds; undefined where it asks for none. */
  readonly retryAfterMs: number | undefined;

  constructor(fields: ApiErrorFields) {
    super(fields.code, fields.message);
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.call = fields.call;
    this.reason = fields.reason;
    this.expected = fields.expected;
    this.got = fields.got;
    this.audience = fields.audience;
    this.claimUrl = fields.claimUrl ?? null;
    this.fields = fields.fields ?? [];
    this.currentEtag = fields.currentEtag ?? null;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** No whole answer came: refused, reset, cut off, no such host, or `certificate_refused`. The cause says which. */
export class ConnectionError extends ClientError {
  constructor(message: string, options?: ErrorOptions & { code?: ClientErrorCode }) {
    super(options?.code ?? "connection_failed", message, options);
  }
}

/** No whole answer came in time. */
export class TimeoutError extends ConnectionError {
  /** The limit that passed, in milliseconds. */
  readonly timeoutMs: number;

  constructor(message: string, timeoutMs: number) {
    super(message, { code: "timed_out" });
    this.timeoutMs = timeoutMs;
  }
}

/** What a DecodeError is made of. */
export type DecodeErrorFields = {
  readonly message: string;
  readonly status: number;
  readonly contentType: string;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

/** Something answered, but not in the contract's words: an HTML page, a redirect, a body too large, a foreign shape. */
export class DecodeError extends ClientError {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Its `Content-Type`; empty where it has none. */
  readonly contentType: string;
  /** The delay that the answer asks for, in milliseconds; undefined where it asks for none. */
  readonly retryAfterMs: number | undefined;

  constructor(fields: DecodeErrorFields) {
    super("unexpected_answer", fields.message, fields.cause === undefined ? {} : { cause: fields.cause });
    this.status = fields.status;
    this.contentType = fields.contentType;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** The stored events have a hole that reading again did not fill. */
export class EventGapError extends ClientError {
  /** The `seq` of the last event before the gap. */
  readonly after: number;

  constructor(runId: string, after: number) {
    super("events_missing", `Run ${runId} has no event ${after + 1}, though it has later ones.`);
    this.after = after;
  }
}
