// Failures of model calls, in words for the run's reader, and whether a retry may help.

import { APICallError, StreamProviderError, TypeValidationError } from "ai";
import { assertNever } from "../../../../base/assert-never.ts";
import { parseRetryAfterMs } from "../../../../base/backoff.ts";
import { refusesModelName } from "../../../../contract/models/refused-name.ts";
import { FederationError } from "../../../../federation/federation-error.ts";
import type { FederatedAccess } from "../../../../federation/provider.ts";
import { tokenExchanges } from "../../../../federation/providers.ts";
import type { FailureReason } from "../../../core/runs/failure.ts";
import { tooLargeOf } from "./bounded-answer.ts";
import { AnswerLate } from "./call-timeouts.ts";
import { type ErrorBody, readErrorBody } from "./error-body.ts";
import { refusesThoughts } from "./refused-thoughts.ts";
import { readTooLong, type TooLong } from "./too-long.ts";
import { refusesTools } from "./wires/refusals.ts";

const MAX_QUOTED_CHARS = 300;

/**
 * Google: "GenerateRequestsPerDayPerProjectPerModel-FreeTier". It names a wait of seconds beside it, after which it refuses again;
 * Gemini CLI takes it as final by the same words (packages/core/src/utils/googleQuotaErrors.ts). Looked up on 2026-11-27.
 */
const DAY_QUOTA = /PerDay|Daily/;

/** Amazon Bedrock, of a model that nobody in the account has asked before: https://docs.aws.amazon.com/bedrock/latest/userguide/model-access.html. */
const MARKETPLACE = /aws-marketplace:Subscribe/;
const SUBSCRIBING_MS = 120_000;

export type CallFailure = {
  readonly message: string;
} /** Busy: it takes no more requests now. Down: it fails, or breaks off. */ & (
  | {
      readonly kind: "busy" | "down" | "unreachable";
      /** The message without what to do, for a notice. */
      readonly what: string;
      readonly retryAfterMs?: number | undefined;
      /** Tries in all, where it is worth fewer than most. */
      readonly attempts?: number;
    }
  /** It took the time of an answer already. */
  | { readonly kind: "late"; readonly what: string }
  /** The conversation does not fit the model. */
  | { readonly kind: "too_long"; readonly told: TooLong }
  /** The thoughts in the conversation, or what they are bound to. */
  | { readonly kind: "thoughts" }
  /** There is no such model, or not any more. */
  | { readonly kind: "gone"; readonly what: string }
  /** What the account may ask of this model in a day is used up. */
  | { readonly kind: "spent"; readonly what: string }
  /** `isKeys`: the key itself, or its account's quota, whatever was asked. A 403 may be about the request. */
  | { readonly kind: "refused"; readonly isKeys: boolean }
);

type CallPlace = {
  readonly host: string;
  readonly modelId: string;
  /** The key, to be removed from the server's message. */
  readonly apiKey: string | null;
  /** Of the federated account whose token was sent in place of a key. */
  readonly access: Pick<FederatedAccess, "provider"> | null;
  /** The model takes tools by the Responses API alone. */
  readonly needsResponses: boolean;
  readonly nowMs: number;
};

/** Reads what the AI SDK threw or streamed as an error. */
export function failureOf(cause: unknown, place: CallPlace): CallFailure {
  const api = `The model's API at ${place.host}`;
  const tooLarge = tooLargeOf(cause);
  if (tooLarge !== null) {
    const check = place.access === null ? "Check MODEL_BASE_URL and the server." : "Ask for less in one run.";
    return refused(`${api} ${tooLarge.message}. ${check}`);
  }
  // The exchange has been tried again already.
  if (FederationError.is(cause)) return keyRefusal(cause.message);
  if (cause instanceof AnswerLate) {
    const what = `${api} did not answer in time.`;
    return { kind: "late", what, message: `${what} Run it again later.` };
  }
  const { status, headers, body } = heardOf(cause);
  const told = body.text === "" && status === undefined ? null : readTooLong(status, body.text);
  const said = saidBy(body, place.apiKey);
  if (told !== null) {
    const message = `The conversation is too long for the model "${place.modelId}"${said}. Lower MODEL_CONTEXT_TOKENS, or ask for less in one run.`;
    return { kind: "too_long", told, message };
  }
  if (refusesThoughts(status, body.text)) {
    const answered = status === undefined ? "" : ` (${status})`;
    return { kind: "thoughts", message: `${api} refused the model's own thoughts${answered}${said}.` };
  }
  const retryAfterMs = retryAfterOf(headers, place.nowMs) ?? body.retryAfterMs;
  if (status === undefined || status < 400) {
    if (!APICallError.isInstance(cause))
      return down(`${api} broke off, or answered what cannot be read${said}.`, "Run it again.");
    const check = place.access === null ? "Check MODEL_BASE_URL, or run it again." : "Run it again.";
    return { ...down(`${api} cannot be reached, or broke off.`, check), kind: "unreachable" };
  }
  if ((status < 429 || status >= 500) && refusesTools(body.text)) {
    return refused(
      `The model "${place.modelId}" at ${place.host} takes no tools, and the agent works with tools${said}. Name a model that has tool calls, or start its server with them.`,
    );
  }
  if (status === 429 && retryAfterMs === undefined && /insufficient_quota/.test(body.text))
    return keyRefusal(`${api} has no quota left for this account (429)${said}. Check its plan and billing.`);
  if (status === 429 && DAY_QUOTA.test(body.text)) {
    const what = `${api} has no quota left today for the model "${place.modelId}" (429)${said}.`;
    return {
      kind: "spent",
      what,
      message: `${what} Run it tomorrow, raise the quota, or use another model.`,
    };
  }
  if (status === 429) {
    const what = `${api} takes no more requests now (429)${said}.`;
    return { kind: "busy", what, message: `${what} Run it later.`, retryAfterMs };
  }
  if (status >= 500 || status === 408 || status === 409)
    return { ...down(`${api} fails (${status})${said}.`, "Run it again later."), retryAfterMs };
  if (status === 401) return keyRefusal(keyRefused(status, place, said));
  if (status === 403 && MARKETPLACE.test(body.text)) {
    const what = `${api} does not let the account use the model "${place.modelId}" yet (403)${said}.`;
    const message = `${what} AWS subscribes to it at the first request, which takes some two minutes. Run it again, or let the role subscribe.`;
    return { kind: "busy", what, message, retryAfterMs: SUBSCRIBING_MS, attempts: 2 };
  }
  if (status === 403) return refused(keyRefused(status, place, said));
  if ((status === 404 || status === 405) && place.needsResponses) {
    return refused(
      `The model "${place.modelId}" takes tools by OpenAI's Responses API alone, and ${place.host} does not have it (${status})${said}. Use OpenAI's own API (MODEL_PROVIDER=openai, model-provider: openai), or another model.`,
    );
  }
  if (status === 404 || status === 410 || refusesModelName(status, body.text)) {
    const what = `The model "${place.modelId}" is unknown at ${place.host}${said}.`;
    return { kind: "gone", what, message: `${what} Name one that it has.` };
  }
  return refused(`${api} refused the request (${status})${said}.`);
}

/** What the provider did, where it is away: it takes no request now, or answers none. Null where the request itself is the trouble. */
export function providerFaultOf(failure: CallFailure): string | null {
  return "what" in failure && failure.kind !== "gone" ? failure.what : null;
}

/** Why a run fails whose calls fail so. An access that the run brought is the caller's, whatever becomes of it. */
export function reasonOf(
  failure: CallFailure,
  { brought, model }: { readonly brought: unknown; readonly model: string | null },
): FailureReason {
  if (brought !== null) return "model_failed";
  switch (failure.kind) {
    case "down":
    case "unreachable":
      return "model_unavailable";
    case "refused":
      return failure.isKeys ? "model_key_refused" : "model_failed";
    case "spent":
      return "model_key_refused";
    case "gone":
      return model === null ? "misconfigured" : "model_failed";
    case "busy":
    case "late":
    case "thoughts":
    case "too_long":
      return "model_failed";
    default:
      return assertNever(failure);
  }
}

/** The model takes no images, or not one that is in the request. By what APIs answered until 2026-11-22. */
export function refusesImages(cause: unknown): boolean {
  const { status, body } = heardOf(cause);
  return (
    status !== undefined &&
    [400, 404, 415, 422, 500, 501].includes(status) &&
    /image|content must be a string|multimodal|vision/i.test(body.text)
  );
}

type Heard = {
  /** Of the answer, or what the library makes of an error within a stream. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: ErrorBody;
};

function heardOf(cause: unknown): Heard {
  if (APICallError.isInstance(cause)) {
    const { statusCode: status, responseHeaders: headers, responseBody = "", message } = cause;
    const own = readErrorBody(responseBody);
    return {
      status,
      headers,
      body: own.message.trim() === "" ? readErrorBody(status === undefined ? "" : message) : own,
    };
  }
  // A part of the stream that is none of the protocol's: some servers send an error so, with status 200.
  if (TypeValidationError.isInstance(cause)) return ofStream(isErrorShape(cause.value) ? cause.value : "");
  // An error that the protocol has within its stream.
  if (StreamProviderError.isInstance(cause)) {
    const { statusCode: status, message, data } = cause;
    const own = readErrorBody(data);
    return { status, headers: undefined, body: own.message.trim() === "" ? readErrorBody(message) : own };
  }
  if (cause instanceof Error) return ofStream("");
  return ofStream(cause);
}

function ofStream(cause: unknown): Heard {
  const status =
    typeof cause === "object" &&
    cause !== null &&
    "statusCode" in cause &&
    typeof cause.statusCode === "number"
      ? cause.statusCode
      : undefined;
  return { status, headers: undefined, body: readErrorBody(cause) };
}

function isErrorShape(value: unknown): boolean {
  return typeof value === "object" && value !== null && "error" in value;
}

/** The header in milliseconds is OpenAI's and Azure's. */
function retryAfterOf(headers: Heard["headers"], nowMs: number): number | undefined {
  const ms = headers?.["retry-after-ms"]?.trim();
  if (ms !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(ms)) return Math.ceil(Number(ms));
  return parseRetryAfterMs(headers?.["retry-after"], nowMs);
}

function keyRefused(status: 401 | 403, { host, modelId, access, apiKey }: CallPlace, said: string): string {
  const api = `The model's API at ${host}`;
  if (access === null && apiKey === null)
    return `${api} takes no request without a key (${status})${said}. MODEL_API_KEY is empty: set it. A variable or a secret that is not set is empty, too.`;
  const what = access === null ? "key" : "exchanged token";
  const check =
    access === null
      ? "Check MODEL_API_KEY."
      : (tokenExchanges[access.provider].neededRight ??
        `Check what its account may use: ${tokenExchanges[access.provider].settingsPage}.`);
  return status === 401
    ? `${api} refuses the ${what} (401)${said}. ${check}`
    : `${api} does not let this ${what} use the model "${modelId}" (403)${said}. ${check}`;
}

/** `: "…"`, or nothing where the API said nothing. */
function saidBy({ message }: ErrorBody, apiKey: string | null): string {
  const said = quote(message, apiKey);
  return said === "" ? "" : `: "${said}"`;
}

/** One line of a text from outside, without the key, nor what looks like a part of one. */
export function quote(text: string, apiKey: string | null): string {
  const kept = apiKey === null || apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
  const line = kept
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/\bsk-[\w*.-]{4,}/g, "[key]")
    .trim();
  return line.length > MAX_QUOTED_CHARS ? `${line.slice(0, MAX_QUOTED_CHARS)}…` : line;
}

function down(what: string, advice: string) {
  return { kind: "down" as const, what, message: `${what} ${advice}` };
}

function refused(message: string): CallFailure {
  return { kind: "refused", isKeys: false, message };
}

function keyRefusal(message: string): CallFailure {
  return { kind: "refused", isKeys: true, message };
}
