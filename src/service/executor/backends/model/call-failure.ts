// Why a model call failed, in words for the run's reader, and whether a retry may help.

import { APICallError } from "ai";
import { parseRetryAfterMs } from "../../../../base/backoff.ts";
import { tooLargeOf } from "./bounded-answer.ts";
import { AnswerLate } from "./call-timeouts.ts";

const MAX_QUOTED_CHARS = 300;

export type CallFailure = {
  /** `late`: it took the time of an answer already. `too_long`: the conversation does not fit the model. */
  readonly kind: "transient" | "late" | "too_long" | "refused";
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
};

export type CallPlace = {
  readonly host: string;
  readonly modelId: string;
  /** The key, to be removed from the server's message. */
  readonly apiKey: string | null;
  readonly nowMs: number;
};

/** Reads what the AI SDK threw or streamed as an error. */
export function failureOf(cause: unknown, place: CallPlace): CallFailure {
  const api = `The model's API at ${place.host}`;
  const tooLarge = tooLargeOf(cause);
  if (tooLarge !== null) return refused(`${api} ${tooLarge.message}. Check MODEL_BASE_URL and the server.`);
  if (cause instanceof AnswerLate) return late(`${api} did not answer in time. Run it again later.`);
  if (!APICallError.isInstance(cause)) {
    return transient(`${api} broke off, or answered what cannot be read. Run it again.`);
  }
  const { statusCode: status } = cause;
  const retryAfterMs = parseRetryAfterMs(cause.responseHeaders?.["retry-after"], place.nowMs);
  if (status === undefined || status < 400) {
    return transient(`${api} cannot be reached, or broke off. Check MODEL_BASE_URL, or run it again.`);
  }
  if (status === 429)
    return transient(`${api} takes no more requests now (429). Run it later.`, retryAfterMs);
  if (status >= 500 || status === 408 || status === 409) {
    return transient(`${api} fails (${status}). Run it again later.`, retryAfterMs);
  }
  if (status === 401) return refused(`${api} refuses the key (401). Check MODEL_API_KEY.`);
  if (status === 403) {
    return refused(
      `${api} does not let this key use the model "${place.modelId}" (403). Check MODEL_API_KEY.`,
    );
  }
  if (status === 404) {
    return refused(`The model "${place.modelId}" is unknown at ${place.host}. Name one that it has.`);
  }
  const said = quote(cause.message, place.apiKey);
  if (isTooLong(status, `${cause.message} ${cause.responseBody ?? ""}`)) {
    return {
      kind: "too_long",
      message: `The conversation is too long for the model "${place.modelId}": ${said} Lower MODEL_CONTEXT_TOKENS, or ask for less in one run.`,
    };
  }
  return refused(`${api} refused the request (${status}): ${said}`);
}

/** One line of a text from outside, without the key. */
export function quote(text: string, apiKey: string | null): string {
  const kept = apiKey === null || apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
  const line = kept.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.length > MAX_QUOTED_CHARS ? `${line.slice(0, MAX_QUOTED_CHARS)}…` : line;
}

/** No API has a status for it, and only some have a code, so messages are matched. */
function isTooLong(status: number, text: string): boolean {
  if (status !== 400 && status !== 413 && status !== 422) return false;
  return /context_length_exceeded|context (length|window|size)|prompt is too long|too many (input )?tokens/i.test(
    text,
  );
}

function transient(message: string, retryAfterMs?: number): CallFailure {
  return { kind: "transient", message, retryAfterMs };
}

function late(message: string): CallFailure {
  return { kind: "late", message };
}

function refused(message: string): CallFailure {
  return { kind: "refused", message };
}
