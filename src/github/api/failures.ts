// The meaning of octokit's answers and errors: good, worth a retry, or refused. Pure.

import * as z from "zod/mini";
import { singleLine } from "../../base/untrusted-text.ts";
import { ConnectionError, DecodeError } from "../../client/errors.ts";
import { GitHubError } from "./github-error.ts";

/** The wait after a rate limit that names no time. */
const DEFAULT_WAIT_MS = 60_000;
const MAX_DETAIL_CHARS = 300;

/** The codes of the transport's errors that a retry can cure. Codes, because the transport's bundle has its own classes. */
const TRANSIENT_CODES: ReadonlySet<unknown> = new Set(["connection_failed", "timed_out"]);

export type GitHubCall = {
  /** Method and path, for messages. */
  readonly name: string;
  /** True where sending it twice changes nothing more. */
  readonly isRepeatable: boolean;
  /** True where the answer names another address. */
  readonly mayRedirect: boolean;
};

export type GitHubResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
};

type Context = { readonly call: GitHubCall; readonly nowMs: number };

const refusalSchema = z.object({
  message: z.string(),
  errors: z.optional(z.array(z.union([z.string(), z.object({ message: z.optional(z.string()) })]))),
});

/** Octokit counts redirects, and the web pages of proxies, among the good answers. */
export function isGood(answer: GitHubResponse): boolean {
  return answer.status >= 200 && answer.status < 300 && !isPage(answer);
}

/** The error to throw for octokit's. One that `retrying` repeats, or GitHubError. */
export function failureOf(error: unknown, context: Context): Error {
  const answer = answerIn(error);
  if (answer !== null) return refusalOf(answer, context);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const detail = cause instanceof Error ? cause.message : "";
  const mayPass = cause instanceof Error && "code" in cause && TRANSIENT_CODES.has(cause.code);
  const { call } = context;
  return mayPass && call.isRepeatable
    ? new ConnectionError(detail, { cause })
    : new GitHubError({ code: "code_host_unavailable", call: call.name, detail, cause });
}

/** The same for an answer that is not good. */
export function refusalOf(answer: GitHubResponse, { call, nowMs }: Context): Error {
  const { status } = answer;
  const detail = detailOf(answer.data);
  const retryAfterMs = waitOf(answer, { detail, nowMs });
  // GitHub checks limits before it does anything, so that repeating is safe.
  const isLimited = status === 429 || (status === 403 && retryAfterMs !== undefined);
  const mayPass = status >= 500 || (isPage(answer) && status < 300);
  if (isLimited || (mayPass && call.isRepeatable)) {
    const message = `It answered ${status} to ${call.name}.`;
    const contentType = header(answer, "content-type");
    return new DecodeError({ message, status: isLimited ? 429 : status, contentType, retryAfterMs });
  }
  return new GitHubError({
    code: mayPass ? "code_host_unavailable" : "code_host_refused",
    call: call.name,
    status,
    detail,
    accepted: header(answer, "x-accepted-github-permissions") || null,
  });
}

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function waitOf(
  answer: GitHubResponse,
  { detail, nowMs }: { detail: string; nowMs: number },
): number | undefined {
  const seconds = header(answer, "retry-after");
  if (/^\d{1,6}$/.test(seconds)) return Number(seconds) * 1000;
  const reset = header(answer, "x-ratelimit-reset");
  if (header(answer, "x-ratelimit-remaining") === "0" && /^\d{1,12}$/.test(reset)) {
    return Math.max(0, Number(reset) * 1000 - nowMs);
  }
  return /\bsecondary rate limit\b/i.test(detail) ? DEFAULT_WAIT_MS : undefined;
}

function detailOf(data: unknown): string {
  const refusal = refusalSchema.safeParse(data);
  if (!refusal.success) return "";
  const { message, errors = [] } = refusal.data;
  const more = errors.map((error) => (typeof error === "string" ? error : (error.message ?? "")));
  return safeDetail([message, ...more.filter((text) => text !== "")].join(": "));
}

/** GitHub's text as one safe line, for a message. */
export function safeDetail(text: string): string {
  return singleLine(text, MAX_DETAIL_CHARS);
}

function isPage(answer: GitHubResponse): boolean {
  return header(answer, "content-type").includes("html");
}

function header({ headers }: GitHubResponse, name: string): string {
  return String(headers[name] ?? "");
}

function answerIn(error: unknown): GitHubResponse | null {
  if (!(error instanceof Error) || !("response" in error)) return null;
  const answer = answerSchema.safeParse(error.response);
  return answer.success ? answer.data : null;
}

const answerSchema = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.optional(z.union([z.string(), z.number()]))),
  data: z.unknown(),
});
