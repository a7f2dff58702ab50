// GitHub's API as the step uses it: by the job's own token, with a bound on retries, every answer decoded.
// https://docs.github.com/en/rest

import * as z from "zod/mini";
import type { BackoffPolicy } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { singleLine } from "../../base/untrusted-text.ts";
import { DecodeError } from "../../client/errors.ts";
import { type RetryNotice, retrying } from "../../client/retry.ts";
import type { Transport, TransportResponse } from "../../client/transport.ts";
import { StepError } from "../../job/step-error.ts";

const RETRY: BackoffPolicy = { attempts: 5, firstDelayMs: 500, maxDelayMs: 60_000 };
/** A write that would be made twice is tried again only where GitHub says that it was not made. */
const TIMEOUT_MS = 20_000;
/** Of a limit that names no time. */
const UNNAMED_WAIT_MS = 60_000;
const PAGE = 100;
/** A page of the longest comments, of 65,536 characters each, and what GitHub tells of each. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export type CodeHostOptions = {
  /** Without a slash at its end. */
  readonly apiUrl: string;
  readonly graphqlUrl?: string;
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

export type GitHubWrite = {
  readonly method: "POST" | "PATCH" | "DELETE";
  /** Below the repository: "/issues/7/comments". */
  readonly path: string;
  readonly body?: unknown;
  /** True where a second time changes nothing more. It is then tried again whatever became of the first. */
  readonly isRepeatable: boolean;
};

/** `code_host_unavailable`: no answer, or none in GitHub's words. `code_host_refused`: an answer that will not change. */
export class GitHubError extends StepError {
  override readonly name = "GitHubError";
  /** Null where there was no answer. */
  readonly status: number | null;
  /** What GitHub says of it, in one safe line; may be empty. */
  readonly detail: string;
  /** Permissions that would do, in GitHub's words ("issues=write; pull_requests=write"), where it names them. */
  readonly accepted: string | null;

  constructor(fields: {
    code: "code_host_unavailable" | "code_host_refused";
    call: string;
    status?: number | null;
    detail?: string;
    accepted?: string | null;
    cause?: unknown;
  }) {
    const { status = null, detail = "", accepted = null, cause } = fields;
    const answered = status === null ? "gave no answer" : `answered ${status}`;
    super(fields.code, `GitHub's API ${answered} to ${fields.call}.${detail === "" ? "" : ` ${detail}`}`, {
      cause,
    });
    this.status = status;
    this.detail = detail;
    this.accepted = accepted;
  }
}

/** Each call rejects with GitHubError, or with the signal's reason when it aborts. Paths are below the repository. */
export interface GitHubApi {
  readonly repository: string;
  /** Null for what the code host does not know. */
  read<Schema extends z.ZodMiniType>(path: string, schema: Schema): Promise<z.output<Schema> | null>;
  /** Items of every page in turn, at most `maxPages` of a hundred. None for what the code host does not know. */
  items<Schema extends z.ZodMiniType>(
    path: string,
    schema: Schema,
    maxPages: number,
  ): AsyncGenerator<z.output<Schema>>;
  write<Schema extends z.ZodMiniType>(write: GitHubWrite, schema: Schema): Promise<z.output<Schema>>;
  /** The `data` of one GraphQL operation. Errors in the answer are `code_host_refused`. Not repeated. */
  graphql<Schema extends z.ZodMiniType>(
    operation: { query: string; variables: Readonly<Record<string, unknown>> },
    schema: Schema,
  ): Promise<z.output<Schema>>;
}

/** Opens nothing until it is asked. */
export function githubApi(options: CodeHostOptions): GitHubApi {
  const { repository } = options;
  const base = `${options.apiUrl}/repos/${repository}`;
  const read: GitHubApi["read"] = async (path, schema) => {
    const call: Call = { method: "GET", url: base + path, path, isRepeatable: true };
    const response = await send(options, call);
    return response === null ? null : decode(call, response, schema);
  };
  return {
    repository,
    read,
    async *items(path, schema, maxPages) {
      const joint = path.includes("?") ? "&" : "?";
      for (let page = 1; page <= maxPages; page += 1) {
        const found = (await read(`${path}${joint}per_page=${PAGE}&page=${page}`, z.array(schema))) ?? [];
        yield* found;
        if (found.length < PAGE) return;
      }
    },
    write: async ({ method, path, body, isRepeatable }, schema) => {
      const call: Call = { method, url: base + path, path, body, isRepeatable };
      const response = await send(options, call);
      if (response === null)
        throw new GitHubError({ code: "code_host_refused", call: nameOf(call), status: 404 });
      return decode(call, response, schema);
    },
    graphql: async ({ query, variables }, schema) => {
      const url = options.graphqlUrl ?? `${options.apiUrl}/graphql`;
      const call: Call = {
        method: "POST",
        url,
        path: "/graphql",
        body: { query, variables },
        isRepeatable: false,
      };
      const response = await send(options, call);
      const answer = response === null ? null : decode(call, response, graphqlSchema);
      const [fault] = answer?.errors ?? [];
      if (answer === null || fault !== undefined || answer.data === undefined) {
        const detail = singleLine(fault?.message ?? "It came without data.", MAX_DETAIL_CHARS);
        throw new GitHubError({ code: "code_host_refused", call: nameOf(call), status: 200, detail });
      }
      return decodeValue(call, answer.data, schema);
    },
  };
}

const MAX_DETAIL_CHARS = 300;
const graphqlSchema = z.object({
  data: z.optional(z.unknown()),
  errors: z.optional(z.array(z.object({ message: z.string() }))),
});
const faultSchema = z.object({
  message: z.string(),
  errors: z.optional(z.array(z.union([z.string(), z.object({ message: z.optional(z.string()) })]))),
});

type Call = {
  readonly method: "GET" | GitHubWrite["method"];
  readonly url: string;
  readonly path: string;
  readonly body?: unknown;
  readonly isRepeatable: boolean;
};

/** Null for 404. */
async function send(options: CodeHostOptions, call: Call): Promise<TransportResponse | null> {
  try {
    return await retrying({ ...options, policy: RETRY }, () => ask(options, call));
  } catch (cause) {
    options.signal?.throwIfAborted();
    if (cause instanceof GitHubError) throw cause;
    const status = cause instanceof DecodeError ? cause.status : null;
    const detail = status === null && cause instanceof Error ? cause.message : "";
    throw new GitHubError({ code: "code_host_unavailable", call: nameOf(call), status, detail, cause });
  }
}

/** Rejects with what may pass by itself, or with GitHubError for what will not. */
async function ask(options: CodeHostOptions, call: Call): Promise<TransportResponse | null> {
  const { token, transport, clock, signal } = options;
  const response = await transport({
    method: call.method,
    url: call.url,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "agent-service-action",
      "x-github-api-version": "2022-11-28",
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    signal,
  }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    if (call.isRepeatable) throw cause;
    const detail = cause instanceof Error ? cause.message : "";
    throw new GitHubError({ code: "code_host_unavailable", call: nameOf(call), detail, cause });
  });
  const { status, headers } = response;
  const contentType = headers("content-type") ?? "";
  const isPage = contentType.includes("html");
  if (status >= 200 && status < 300 && !isPage) return response;
  if (status === 404) return null;
  const retryAfterMs = waitOf(response, clock.now());
  // A limit is answered before anything is done.
  const isLimited = status === 429 || (status === 403 && retryAfterMs !== undefined);
  const mayPass = status >= 500 || (isPage && status < 300);
  if (isLimited || (mayPass && call.isRepeatable)) {
    const message = `It answered ${status} to ${call.path}.`;
    throw new DecodeError({ message, status: isLimited ? 429 : status, contentType, retryAfterMs });
  }
  throw new GitHubError({
    code: mayPass ? "code_host_unavailable" : "code_host_refused",
    call: nameOf(call),
    status,
    detail: detailOf(response),
    accepted: headers("x-accepted-github-permissions") ?? null,
  });
}

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function waitOf(response: TransportResponse, nowMs: number): number | undefined {
  const { headers } = response;
  const seconds = headers("retry-after");
  if (seconds !== undefined && /^\d{1,6}$/.test(seconds)) return Number(seconds) * 1000;
  const reset = headers("x-ratelimit-reset");
  if (headers("x-ratelimit-remaining") === "0" && reset !== undefined && /^\d{1,12}$/.test(reset)) {
    return Math.max(0, Number(reset) * 1000 - nowMs);
  }
  return /\bsecondary rate limit\b/i.test(detailOf(response)) ? UNNAMED_WAIT_MS : undefined;
}

function detailOf({ body }: TransportResponse): string {
  try {
    const fault = faultSchema.safeParse(JSON.parse(body));
    if (!fault.success) return "";
    const { message, errors = [] } = fault.data;
    const more = errors.map((error) => (typeof error === "string" ? error : (error.message ?? "")));
    return singleLine([message, ...more.filter((text) => text !== "")].join(": "), MAX_DETAIL_CHARS);
  } catch {
    return "";
  }
}

function decode<Schema extends z.ZodMiniType>(
  call: Call,
  response: TransportResponse,
  schema: Schema,
): z.output<Schema> {
  // What has no answer has an empty one: 204.
  return decodeValue(call, response.body === "" ? null : parsed(call, response), schema);
}

function parsed(call: Call, { body, status }: TransportResponse): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw unreadable(call, status, cause);
  }
}

function decodeValue<Schema extends z.ZodMiniType>(
  call: Call,
  value: unknown,
  schema: Schema,
): z.output<Schema> {
  const decoded = schema.safeParse(value);
  if (decoded.success) return decoded.data;
  throw unreadable(call, 200, decoded.error);
}

function unreadable(call: Call, status: number, cause: unknown): GitHubError {
  const detail = "That is in a shape that it does not publish.";
  return new GitHubError({ code: "code_host_unavailable", call: nameOf(call), status, detail, cause });
}

function nameOf({ method, path }: Call): string {
  return `${method} ${path}`;
}
