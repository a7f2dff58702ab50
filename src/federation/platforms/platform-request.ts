// Requests to what a cloud has beside a machine or a container: its metadata server, and its token service. Each answer is bounded, and no redirect
// is followed.

import { FederationError } from "../federation-error.ts";
import { fetchBounded } from "../fetch-exchange.ts";

const ANSWER_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** As a cloud's own tools have it. */
export type PlatformParts = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
};

export type AudienceParts = PlatformParts & {
  /** What the token is made for. */
  readonly audience: string;
};

export type PlatformRequest = {
  /** In a sentence, with the cloud's name. */
  readonly what: string;
  /** What to look at where it does not answer, or says no. A sentence. */
  readonly advice: string;
  readonly method?: "GET" | "POST" | "PUT";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

type PlatformAnswer = { readonly status: number; readonly body: string };

/** Any answer but one that may be another one in a moment. Rejects with FederationError, or with the signal's reason. */
export async function askPlatform(
  { what, advice, method = "GET", url, headers = {}, body }: PlatformRequest,
  signal: AbortSignal | undefined,
): Promise<PlatformAnswer> {
  const bounds = { timeoutMs: ANSWER_MS, maxBodyBytes: MAX_ANSWER_BYTES, signal };
  const answer = await fetchBounded({ method, url, headers, body, ...bounds }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    const why = cause instanceof Error ? cause.message : "The request failed.";
    throw new FederationError({
      code: "federation_unreachable",
      message: `${what} at ${new URL(url).host} cannot be reached. ${why} ${advice}`,
      cause,
    });
  });
  if (answer.status === 429 || answer.status >= 500)
    throw new FederationError({
      code: "federation_unavailable",
      message: `${what} answered ${answer.status}. ${advice}`,
      status: answer.status,
    });
  return answer;
}

/** The body of an answer that is one. Rejects with FederationError for any other. */
export async function readPlatform(
  request: PlatformRequest,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { status, body } = await askPlatform(request, signal);
  if (status === 200) return body.trim();
  throw noToken(`${request.what} answered ${status}. ${request.advice}`, status);
}

export function noToken(message: string, status: number | null = null): FederationError {
  return new FederationError({ code: "federation_token_missing", message, status });
}
