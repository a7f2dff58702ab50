// A code host's REST API as a job calls it: every answer bounded and decoded, one token, no redirect followed. A host's own client names its
// headers, its errors and its paths.

import type * as z from "zod/mini";
import { type BackoffPolicy, parseRetryAfterMs, type RetryNotice } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { singleLine } from "../../base/untrusted-text.ts";
import { ConnectionError, DecodeError } from "../../client/errors.ts";
import { retrying } from "../../client/retry.ts";
import type { Transport, TransportResponse } from "../../client/transport.ts";
import { type ApiFailure, CodeHostError } from "./code-host-error.ts";

/** Half a minute in all where a rate limit, which counts by the minute, names no time. */
const RETRY: BackoffPolicy = { attempts: 6, firstDelayMs: 1_000, maxDelayMs: 60_000 };
const TIMEOUT_MS = 20_000;
/** A page of a hundred texts of our own; a stranger's may have a million characters, and is read alone. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
export const MAX_DETAIL_CHARS = 300;

/** The part that every call of a job shares. */
export type HostConnection = {
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly token: string;
  readonly userAgent: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

/** What differs between code hosts. */
export type HostDialect = {
  /** "GitLab" */
  readonly title: string;
  /** With the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** `body` is the answer's; "" without one. */
  readonly failure: (failed: ApiFailure & { readonly body: string }) => CodeHostError;
  /** The time that an answer without Retry-After asks to wait; left out where no header says it. */
  readonly resetMs?: (answer: TransportResponse, nowMs: number) => number | undefined;
  /** Statuses from 500 on that come again however often the call is repeated. */
  readonly lasting?: readonly number[];
};

export type HostCall = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the API. */
  readonly path: string;
  readonly body?: object;
  /** Method and path below the repository, for messages. */
  readonly name: string;
  /** Of a file's contents, which may be a web page: taken as it is, within so many bytes. */
  readonly rawBytes?: number;
};

/** A POST is repeated only after a rate limit, which is checked before anything is done. Rejects with the dialect's error, or with the signal's reason. */
export async function callHost(
  connection: HostConnection,
  dialect: HostDialect,
  call: HostCall,
): Promise<TransportResponse> {
  const { apiUrl, userAgent, transport, signal, clock } = connection;
  const { method, path, body, name, rawBytes } = call;
  const headers = {
    accept: rawBytes === undefined ? "application/json" : "*/*",
    "user-agent": userAgent,
    ...dialect.headers,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  try {
    return await retrying({ ...connection, policy: RETRY }, async () => {
      const answer = await transport({
        method,
        url: apiUrl + path,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        maxBodyBytes: rawBytes ?? MAX_BODY_BYTES,
        signal,
      }).catch((cause: unknown) => {
        if (cause instanceof ConnectionError && method !== "POST") throw cause;
        throw unavailable(dialect, { cause, name, status: null });
      });
      const isPage = rawBytes === undefined && isWebPage(answer);
      if (answer.status >= 200 && answer.status < 300 && !isPage) return answer;
      throw refusalOf(dialect, { answer, call, nowMs: clock.now() });
    });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof CodeHostError) throw cause;
    const status = cause instanceof DecodeError ? cause.status : null;
    throw unavailable(dialect, { cause, name, status });
  }
}

/** Rejects with the dialect's error where the answer is not JSON of that shape. */
export function decodeAnswer<Schema extends z.ZodMiniType>(
  dialect: HostDialect,
  { body, schema, name }: { readonly body: string; readonly schema: Schema; readonly name: string },
): z.output<Schema> {
  const decoded = schema.safeParse(parsedJson(body));
  if (decoded.success) return decoded.data;
  const detail = `The answer does not have the shape that ${dialect.title} publishes.`;
  const cause = decoded.error;
  throw dialect.failure({
    code: "code_host_unavailable",
    call: name,
    status: 200,
    detail,
    cause,
    body: "",
  });
}

/** Undefined for what is no JSON. */
export function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** "GET /issues/7", without the query. */
export function callName(method: string, path: string): string {
  return `${method} ${path.replace(/\?.*/, "")}`;
}

function unavailable(
  dialect: HostDialect,
  { cause, name, status }: { readonly cause: unknown; readonly name: string; readonly status: number | null },
): CodeHostError {
  const detail = status === null && cause instanceof Error ? singleLine(cause.message, MAX_DETAIL_CHARS) : "";
  return dialect.failure({ code: "code_host_unavailable", call: name, status, detail, cause, body: "" });
}

/** The error to throw for an answer that is not good: one that `retrying` repeats, or the dialect's. */
function refusalOf(
  dialect: HostDialect,
  {
    answer,
    call,
    nowMs,
  }: { readonly answer: TransportResponse; readonly call: HostCall; readonly nowMs: number },
): Error {
  const { status } = answer;
  const { name, method } = call;
  const mayPass = status >= 500 || (isWebPage(answer) && status < 300);
  const isLasting = dialect.lasting?.includes(status) === true;
  if (status === 429 || (mayPass && !isLasting && method !== "POST")) {
    const contentType = answer.headers("content-type") ?? "";
    const retryAfterMs =
      parseRetryAfterMs(answer.headers("retry-after"), nowMs) ?? dialect.resetMs?.(answer, nowMs);
    const message = `It answered ${status} to ${name}.`;
    return new DecodeError({
      message,
      status,
      contentType,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  return dialect.failure({
    code: mayPass ? "code_host_unavailable" : "code_host_refused",
    call: name,
    status,
    body: answer.body,
  });
}

function isWebPage(answer: TransportResponse): boolean {
  return (answer.headers("content-type") ?? "").includes("html");
}
