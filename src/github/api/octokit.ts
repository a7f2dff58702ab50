// The client of @actions/github over the job's own transport, which knows its proxies and timeouts, with the retries of every
// other call (docs/decisions/128-the-client-of-actions-github.md). https://docs.github.com/en/rest

import type { GitHub } from "@actions/github/lib/utils";
import type { BackoffPolicy, RetryNotice } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { retrying } from "../../client/retry.ts";
import type { Transport } from "../../client/transport.ts";
import { failureOf, type GitHubCall, type GitHubResponse, isGood, refusalOf } from "./failures.ts";
import { GitHubError } from "./github-error.ts";

const RETRY: BackoffPolicy = { attempts: 5, firstDelayMs: 500, maxDelayMs: 60_000 };
const TIMEOUT_MS = 20_000;
/** A page of a hundred comments of 65,536 characters each, in UTF-8. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export type CodeHostOptions = {
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
};

export type HostOctokit = InstanceType<typeof GitHub>;

/**
 * Loads the client's module, a file of its own under dist/. From source it reads the event and rejects where that is no JSON:
 * call this once the event was decoded.
 */
export async function loadClient(): Promise<typeof GitHub> {
  return (await import("@actions/github/lib/utils")).GitHub;
}

/**
 * Sends nothing by itself. The client's requests reject with GitHubError, or with the signal's reason when that aborts. A POST is
 * repeated only after a rate limit, unless its options say `request: { isRepeatable: true }`. A redirect is an answer
 * where they say `request: { mayRedirect: true }`, and is followed by nobody here.
 */
export async function openOctokit(options: CodeHostOptions): Promise<HostOctokit> {
  const { apiUrl, token, repository } = options;
  const Client = await loadClient();
  const octokit = new Client({
    baseUrl: apiUrl,
    userAgent: "agent-service-action",
    request: { fetch: fetchOver(options) },
  });
  octokit.hook.wrap("request", async (send, request) => {
    Object.assign(request.headers, {
      accept: `application/vnd.github${request.request.isFull === true ? ".full" : ""}+json`,
      authorization: `Bearer ${token}`,
      "x-github-api-version": "2022-11-28",
    });
    const { method, url } = request;
    const call: GitHubCall = {
      name: `${method} ${pathOf(url, repository)}`,
      isRepeatable: method !== "POST" || request.request.isRepeatable === true,
      mayRedirect: request.request.mayRedirect === true,
    };
    return await sendWithRetries(options, call, async () => await send(request));
  });
  return octokit;
}

async function sendWithRetries<Response extends GitHubResponse>(
  options: CodeHostOptions,
  call: GitHubCall,
  send: () => Promise<Response>,
): Promise<Response> {
  const { clock, signal } = options;
  try {
    return await retrying({ ...options, policy: RETRY }, async () => {
      const response = await send().catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw failureOf(cause, { call, nowMs: clock.now() });
      });
      if (isGood(response) || (call.mayRedirect && response.status === 302)) return response;
      throw refusalOf(response, { call, nowMs: clock.now() });
    });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof GitHubError) throw cause;
    const status = cause instanceof Error && "status" in cause ? Number(cause.status) : null;
    const detail = status === null && cause instanceof Error ? cause.message : "";
    throw new GitHubError({ code: "code_host_unavailable", call: call.name, status, detail, cause });
  }
}

/** The path below the repository, without the query. */
function pathOf(url: string, repository: string): string {
  const [path = ""] = url.split("?");
  const root = `/repos/${repository}`;
  const at = path.indexOf(root);
  return at === -1 ? path.replace(/^.*(?=\/graphql$)/, "") : path.slice(at + root.length);
}

type FetchInit = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The part of `fetch` that octokit uses. */
function fetchOver({ apiUrl, transport, signal }: CodeHostOptions) {
  const { origin } = new URL(apiUrl);
  return async (url: string, { method, headers, body }: FetchInit) => {
    // Pages follow the links of the answers; the token goes nowhere else.
    if (new URL(url).origin !== origin) throw new TypeError("It links to another host.");
    const response = await transport({
      method,
      url,
      headers,
      ...(body === undefined ? {} : { body }),
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_BODY_BYTES,
      signal,
    });
    return {
      status: response.status,
      url,
      headers: new Map(
        READ_HEADERS.flatMap((name): [string, string][] => {
          const value = response.headers(name);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
      text: async () => response.body,
      arrayBuffer: async () => new TextEncoder().encode(response.body).buffer,
    };
  };
}

/** Not `deprecation`, which octokit prints on the console: a runner would read commands in it. */
const READ_HEADERS = [
  "content-type",
  "link",
  "location",
  "retry-after",
  "x-accepted-github-permissions",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
] as const;
