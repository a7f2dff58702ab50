// The one way to call the service: builds the request, retries where repeating is safe, decodes the answer once.

import type { BackoffPolicy, RetryNotice } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Endpoint } from "../contract/endpoints.ts";
import type { ByteSource, SizedBytes } from "./byte-source.ts";
import { type Decoder, decodeAnswer, decodeEmpty } from "./decode.ts";
import { ApiError } from "./errors.ts";
import { retrying } from "./retry.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

const ATTEMPT_TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Who calls. `refresh` gets a new token after the service refused the old one; without it a 401 is final. */
export type Credential = {
  /** The bearer token of the next call; null for none. */
  token(): string | null | Promise<string | null>;
  /** Gets a new token. Called once a call, after a 401 `unauthorized`. */
  refresh?(signal?: AbortSignal): Promise<void>;
};

/** Everything that a call needs beside itself. */
export type ApiConnection = {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly credential: Credential;
  readonly clock: Clock;
  readonly random: () => number;
  readonly userAgent: string;
  readonly retry: BackoffPolicy;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** Calls with bytes as streams. A CI job's client has none. */
  readonly streams?: {
    isByteSource(body: unknown): body is ByteSource;
    callBytes(connection: ApiConnection, call: ByteCall): Promise<ApiResponse<unknown>>;
  };
};

/** A call that sends or answers bytes. */
export type ByteCall = Pick<ApiCall<unknown>, "headers" | "credential" | "retry" | "signal"> & {
  readonly endpoint: Endpoint;
  readonly url: string;
  readonly source: ByteSource | null;
};

/** One call of a route. */
export type ApiCall<Value> = {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Sent in the place of a body in JSON. */
  readonly upload?: { readonly bytes: SizedBytes; readonly contentType: string };
  readonly headers?: Readonly<Record<string, string>>;
  /** "repeatable" when a second arrival changes nothing. */
  readonly effect: "repeatable" | "once";
  /** "renewable": the credential, refreshed once when refused. "as-is": the credential. "none": a public route. */
  readonly credential: "renewable" | "as-is" | "none";
  /** Null where the answer has no body. */
  readonly decoder: (() => Promise<Decoder<Value>>) | null;
  readonly timeoutMs?: number;
  readonly retry?: BackoffPolicy;
  readonly signal?: AbortSignal | undefined;
};

/** The decoded answer, and its headers by name in lower case. */
export type ApiResponse<Value> = { readonly value: Value; readonly header: TransportResponse["headers"] };

/** The answer to a call that has a body. */
export async function request<Value>(
  connection: ApiConnection,
  call: ApiCall<Value> & { decoder: () => Promise<Decoder<Value>> },
): Promise<ApiResponse<Value>> {
  return send(connection, call, (answer) => decodeAnswer(answer, call.decoder));
}

/** A call whose answer has no body. */
export async function requestNothing(
  connection: ApiConnection,
  call: ApiCall<void>,
): Promise<ApiResponse<void>> {
  return send(connection, call, decodeEmpty);
}

type Decode<Value> = (answer: {
  request: TransportRequest;
  response: TransportResponse;
  nowMs: number;
}) => Promise<Value>;

async function send<Value>(
  connection: ApiConnection,
  call: ApiCall<Value>,
  decode: Decode<Value>,
): Promise<ApiResponse<Value>> {
  let mayRefresh = call.credential === "renewable" && connection.credential.refresh !== undefined;
  const attempt = async (): Promise<ApiResponse<Value>> => {
    const request = await buildRequest(connection, call);
    const response = await connection.transport(request);
    try {
      const value = await decode({ request, response, nowMs: connection.clock.now() });
      return { value, header: response.headers };
    } catch (error) {
      if (!mayRefresh || !isUnauthorized(error)) throw error;
      mayRefresh = false;
      await connection.credential.refresh?.(call.signal);
      return attempt();
    }
  };
  if (call.effect === "once") return attempt();
  return retrying({ ...connection, policy: call.retry ?? connection.retry, signal: call.signal }, attempt);
}

async function buildRequest<Value>(
  connection: ApiConnection,
  call: ApiCall<Value>,
): Promise<TransportRequest> {
  const token = call.credential === "none" ? null : await connection.credential.token();
  const { upload } = call;
  const contentType = upload?.contentType ?? (call.body === undefined ? null : "application/json");
  return {
    method: call.method,
    url: urlOf(connection, call),
    headers: {
      accept: "application/json",
      "user-agent": connection.userAgent,
      ...call.headers,
      ...(contentType === null ? {} : { "content-type": contentType }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    ...(upload === undefined ? {} : { body: upload.bytes }),
    timeoutMs: call.timeoutMs ?? ATTEMPT_TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    signal: call.signal,
  };
}

/** The address of a call, its query included. */
export function urlOf(
  { baseUrl }: Pick<ApiConnection, "baseUrl">,
  { path, query = {} }: Pick<ApiCall<unknown>, "path" | "query">,
): string {
  const url = new URL(baseUrl + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code === "unauthorized";
}
