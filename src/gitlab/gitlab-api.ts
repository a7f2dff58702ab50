// GitLab's REST API as a job uses it: every answer bounded and decoded, one token, no redirect followed.
// https://docs.gitlab.com/api/rest, …/api/rest/authentication, …/security/rate_limits (2026-11-28)

import * as z from "zod/mini";
import { type BackoffPolicy, parseRetryAfterMs, type RetryNotice } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { ConnectionError, DecodeError } from "../client/errors.ts";
import { retrying } from "../client/retry.ts";
import type { Transport, TransportResponse } from "../client/transport.ts";
import { GitLabError } from "./gitlab-error.ts";

/** Half a minute in all where a rate limit, which counts by the minute, names no time. */
const RETRY: BackoffPolicy = { attempts: 6, firstDelayMs: 1_000, maxDelayMs: 60_000 };
const TIMEOUT_MS = 20_000;
/** A page of a hundred texts of our own; a stranger's may have a million characters, and is read alone. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_DETAIL_CHARS = 300;
const PAGE = 100;

export type GitLabOptions = {
  /** Without a trailing slash: "https://gitlab.com/api/v4". */
  readonly apiUrl: string;
  readonly token: string;
  /** The number of the project. */
  readonly projectId: string;
  readonly userAgent: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

type GitLabWrite = {
  readonly method: "POST" | "PUT" | "DELETE";
  /** Below the project: "/issues/7". */
  readonly path: string;
  readonly body?: object;
};

/** Each call rejects with GitLabError, or with the signal's reason when it aborts. */
export interface GitLabApi {
  /** Below the project. Null for what GitLab does not show to the token. */
  read<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.output<Schema> | null>;
  /** Below the API: "/user". */
  readGlobal<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.output<Schema>>;
  /** The items of each page in turn, at most `maxPages` of a hundred. The path is below the project, and has a query. */
  items<Schema extends z.ZodMiniType>(
    path: string,
    schema: Schema,
    maxPages: number,
  ): AsyncGenerator<z.output<Schema>>;
  /** A POST is repeated only after a rate limit, which GitLab checks before it does anything. An empty answer is null. */
  write<Schema extends z.ZodMiniType>(write: GitLabWrite, schema: Schema): Promise<z.output<Schema>>;
}

type Call = {
  readonly method: "GET" | GitLabWrite["method"];
  /** Below the API. */
  readonly path: string;
  readonly body?: object;
  /** Method and path below the project, for messages. */
  readonly name: string;
};

/** Sends nothing until the first call. */
export function gitlabApi(options: GitLabOptions): GitLabApi {
  const project = `/projects/${encodeURIComponent(options.projectId)}`;
  const get = async <Schema extends z.ZodMiniType>(
    path: string,
    { schema, name }: { schema: Schema; name: string },
  ): Promise<z.output<Schema>> =>
    decode((await send(options, { method: "GET", path, name })).body, { schema, name });
  const nameOf = (method: string, path: string) => `${method} ${path.replace(/\?.*/, "")}`;
  return {
    read: async (path, schema) => {
      try {
        return await get(project + path, { schema, name: nameOf("GET", path) });
      } catch (cause) {
        if (cause instanceof GitLabError && cause.status === 404) return null;
        throw cause;
      }
    },
    readGlobal: (path, schema) => get(path, { schema, name: nameOf("GET", path) }),
    async *items(path, schema, maxPages) {
      const list = z.array(schema);
      for (let page = 1; page <= maxPages; page += 1) {
        const at = `${project}${path}&per_page=${PAGE}&page=${page}`;
        const name = nameOf("GET", path);
        const { body, hasMore } = await send(options, { method: "GET", path: at, name });
        const items = decode(body, { schema: list, name });
        yield* items;
        // A page may have fewer: GitLab leaves out what the token may not see.
        if (!(hasMore ?? items.length === PAGE)) return;
      }
    },
    write: async ({ method, path, body }, schema) => {
      const name = nameOf(method, path);
      const call: Call = { method, path: project + path, name, ...(body === undefined ? {} : { body }) };
      const answer = await send(options, call);
      return decode(answer.body === "" ? "null" : answer.body, { schema, name });
    },
  };
}

type Answer = {
  readonly body: string;
  /** Of a list: whether there is a page after this one. Null where GitLab does not say. */
  readonly hasMore: boolean | null;
};

async function send(options: GitLabOptions, call: Call): Promise<Answer> {
  const { apiUrl, token, userAgent, transport, signal, clock } = options;
  const { method, path, body, name } = call;
  const headers = {
    accept: "application/json",
    "user-agent": userAgent,
    "private-token": token,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  try {
    return await retrying({ ...options, policy: RETRY }, async () => {
      const answer = await transport({
        method,
        url: apiUrl + path,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        maxBodyBytes: MAX_BODY_BYTES,
        signal,
      }).catch((cause: unknown) => {
        if (cause instanceof ConnectionError && method !== "POST") throw cause;
        throw unavailable(cause, { name, status: null });
      });
      if (answer.status >= 200 && answer.status < 300 && !isPage(answer)) {
        const next = answer.headers("x-next-page") ?? null;
        return { body: answer.body, hasMore: next === null ? null : next !== "" };
      }
      throw refusalOf(answer, { call, nowMs: clock.now() });
    });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof GitLabError) throw cause;
    throw unavailable(cause, { name, status: cause instanceof DecodeError ? cause.status : null });
  }
}

function unavailable(cause: unknown, { name, status }: { name: string; status: number | null }): GitLabError {
  const detail = status === null && cause instanceof Error ? singleLine(cause.message, MAX_DETAIL_CHARS) : "";
  return new GitLabError({ code: "code_host_unavailable", call: name, status, detail, cause });
}

/** The error to throw for an answer that is not good: one that `retrying` repeats, or GitLabError. */
function refusalOf(answer: TransportResponse, { call, nowMs }: { call: Call; nowMs: number }): Error {
  const { status } = answer;
  const { name, method } = call;
  const mayPass = status >= 500 || (isPage(answer) && status < 300);
  if (status === 429 || (mayPass && method !== "POST")) {
    const contentType = answer.headers("content-type") ?? "";
    const retryAfterMs = waitOf(answer, nowMs);
    const message = `It answered ${status} to ${name}.`;
    return new DecodeError({
      message,
      status,
      contentType,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  return new GitLabError({
    code: mayPass ? "code_host_unavailable" : "code_host_refused",
    call: name,
    status,
    ...refusalIn(answer.body),
  });
}

/** Not every limit has a Retry-After: an older GitLab answers some of them without. */
function waitOf(answer: TransportResponse, nowMs: number): number | undefined {
  const asked = parseRetryAfterMs(answer.headers("retry-after"), nowMs);
  if (asked !== undefined) return asked;
  const reset = answer.headers("ratelimit-reset") ?? "";
  return /^\d{1,12}$/.test(reset) ? Math.max(0, Number(reset) * 1_000 - nowMs) : undefined;
}

/** `{message}` with a text or with lists by field, or `{error, error_description}` of OAuth. */
const refusalSchema = z.object({
  message: z.optional(z.union([z.string(), z.record(z.string(), z.unknown())])),
  error: z.optional(z.string()),
  error_description: z.optional(z.string()),
});

function refusalIn(body: string): { detail: string; lacksScope: boolean } {
  const refusal = refusalSchema.safeParse(parsed(body));
  if (!refusal.success) return { detail: "", lacksScope: false };
  const { message, error, error_description: description } = refusal.data;
  const said = typeof message === "object" ? JSON.stringify(message) : message;
  const detail = singleLine(description ?? said ?? error ?? "", MAX_DETAIL_CHARS);
  return { detail, lacksScope: error === "insufficient_scope" };
}

function isPage(answer: TransportResponse): boolean {
  return (answer.headers("content-type") ?? "").includes("html");
}

function decode<Schema extends z.ZodMiniType>(
  body: string,
  { schema, name }: { schema: Schema; name: string },
): z.output<Schema> {
  const decoded = schema.safeParse(parsed(body));
  if (decoded.success) return decoded.data;
  const detail = "The answer does not have the shape that GitLab publishes.";
  const cause = decoded.error;
  throw new GitLabError({ code: "code_host_unavailable", call: name, status: 200, detail, cause });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
