// An answer's text in, a value of the contract out, or an error with the text that came instead.

import { parseRetryAfterMs } from "../base/backoff.ts";
import { ApiError, DecodeError } from "./errors.ts";
import { describe, type TransportRequest, type TransportResponse } from "./transport.ts";

/** The part of a contract schema that the client uses; the schemas load when the first answer is there, not before. */
export type Decoder<Value> = {
  safeParse(data: unknown): { success: true; data: Value } | { success: false; error: Error };
};

type ReceivedResponse = {
  readonly request: TransportRequest;
  readonly response: TransportResponse;
  readonly nowMs: number;
};

/** Decodes a 2xx answer; throws ApiError for a problem body and DecodeError for all else. */
export async function decodeAnswer<Value>(
  answer: ReceivedResponse,
  decoder: () => Promise<Decoder<Value>>,
): Promise<Value> {
  const { status } = answer.response;
  if (status < 200 || status >= 400) throw await refusalOf(answer);
  if (status >= 300) throw unexpected(answer, redirectText(answer));
  const parsed = (await decoder()).safeParse(parseJson(answer));
  if (parsed.success) return parsed.data;
  throw unexpected(answer, "answered with a body that is not in the contract", parsed.error);
}

/** Accepts any 2xx answer without a body; throws as decodeAnswer does. */
export async function decodeEmpty(answer: ReceivedResponse): Promise<void> {
  const { status } = answer.response;
  if (status < 200 || status >= 400) throw await refusalOf(answer);
  if (status >= 300) throw unexpected(answer, redirectText(answer));
}

/** The error of a refusal: ApiError for a problem body, DecodeError for all else. */
export async function refusalOf(answer: ReceivedResponse): Promise<Error> {
  const { response } = answer;
  const body = parseJson(answer);
  const { problemSchema } = await import("../contract/problems/problem.ts");
  const parsed = problemSchema.safeParse(body);
  if (!parsed.success) {
    return unexpected(answer, `answered ${response.status} with a body that is not in the contract`);
  }
  const { error, code, request_id, claim_url, current_etag, ...rest } = parsed.data;
  return new ApiError({
    ...rest,
    status: response.status,
    code,
    message: error,
    requestId: request_id,
    call: describe(answer.request),
    claimUrl: claim_url,
    currentEtag: current_etag,
    retryAfterMs: retryAfterOf(answer),
  });
}

function parseJson(answer: ReceivedResponse): unknown {
  const { response } = answer;
  const contentType = contentTypeOf(response);
  if (contentType.includes("html")) {
    throw unexpected(answer, `answered ${response.status} with an HTML page instead of JSON`);
  }
  if (!/^application\/([\w.+-]+\+)?json\b/.test(contentType)) {
    throw unexpected(
      answer,
      `answered ${response.status} with "${contentType || "no type"}" instead of JSON`,
    );
  }
  try {
    return JSON.parse(response.body);
  } catch {
    // The parser's own message quotes the body, which may hold a secret: it is left out.
    throw unexpected(answer, `answered ${response.status} with JSON that does not parse`);
  }
}

function unexpected(answer: ReceivedResponse, what: string, cause?: unknown): DecodeError {
  return new DecodeError({
    message: `${describe(answer.request)} ${what}${requestIdText(answer)}.`,
    status: answer.response.status,
    contentType: contentTypeOf(answer.response),
    retryAfterMs: retryAfterOf(answer),
    cause,
  });
}

/** The origin alone: a path or a query may carry what no log should. */
function redirectText(answer: ReceivedResponse): string {
  const { request, response } = answer;
  const location = URL.parse(response.headers("location") ?? "", request.url);
  const target = location === null ? "" : ` to ${location.origin}`;
  return `redirects (${response.status})${target}; give the final address as the base URL`;
}

/** The request's id in words: a proxy's text in the header is not trusted to be one. */
function requestIdText({ response }: ReceivedResponse): string {
  const requestId = response.headers("x-request-id") ?? "";
  return /^[\w.:-]{1,100}$/.test(requestId) ? ` (request ${requestId})` : "";
}

function contentTypeOf(response: TransportResponse): string {
  return (response.headers("content-type") ?? "").toLowerCase().slice(0, 100);
}

function retryAfterOf(answer: ReceivedResponse): number | undefined {
  return parseRetryAfterMs(answer.response.headers("retry-after"), answer.nowMs);
}
