// One exchange: an ID token for an access token of a model provider, in as many steps as the provider has. Never repeated with the same
// token: a provider takes each once. No redirect is followed, no other host is asked, and each answer is bounded.

import { parseRetryAfterMs } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { parseObject } from "../base/json.ts";
import { federationOf } from "../contract/models/federations.ts";
import { inputOf } from "../contract/models/providers.ts";
import { claimsOf, type IdTokenClaims } from "./claims.ts";
import { FederationError, type FederationReason } from "./federation-error.ts";
import type {
  AccessToken,
  ExchangeStep,
  Explained,
  Granted,
  ModelFederation,
  SendStep,
  TokenExchange,
} from "./provider.ts";
import { tokenExchanges } from "./providers.ts";
import { usableToken } from "./usable-token.ts";

const EXCHANGE_TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Anthropic's limit and OpenRouter's. */
const MAX_ID_TOKEN_CHARS = 16 * 1024;
const MAX_QUOTED_CHARS = 200;
const CLOCK_SKEW_MS = 60_000;

type ExchangeMessage = {
  readonly method: "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly signal?: AbortSignal | undefined;
};

export type ExchangeAnswer = {
  readonly status: number;
  readonly headers: (name: string) => string | undefined;
  readonly body: string;
};

/** Sends one request and follows no redirect. Rejects where no whole answer came, with an error without secrets. */
export type SendExchange = (message: ExchangeMessage) => Promise<ExchangeAnswer>;

type ExchangeOptions = {
  /** For one use. */
  readonly idToken: string;
  readonly send: SendExchange;
  /** Called with each secret between the ID token and the access token, before it is used. */
  readonly keep: (secret: string) => void;
  readonly clock: Pick<Clock, "now">;
  readonly signal?: AbortSignal | undefined;
};

type Exchanger = TokenExchange & { readonly title: string };

/** Rejects with FederationError, or with the signal's reason. To be tried again with a fresh ID token alone. */
export async function exchangeIdToken(
  federation: ModelFederation,
  options: ExchangeOptions,
): Promise<AccessToken> {
  const { idToken, clock, signal } = options;
  const provider = exchangerOf(federation);
  const nowMs = clock.now();
  checkIdToken(idToken, { federation, provider, nowMs });
  const secrets = [idToken, ...idToken.split(".")];
  const keep = (secret: string) => {
    secrets.push(secret);
    options.keep(secret);
  };
  const { identifiers } = federation;
  const send: SendStep = async (step) => {
    const answer = await sendStep(step, { federation, provider, options });
    signal?.throwIfAborted();
    if (answer.status !== 200)
      throw refusalOf(answer, { federation, provider, step, secrets, nowMs: clock.now() });
    return parseObject(answer.body) ?? {};
  };
  const granted = await provider.exchange({ idToken, identifiers, send, keep, nowMs });
  return tokenOf(granted, { federation, provider, begunAt: nowMs });
}

function exchangerOf({ provider }: ModelFederation): Exchanger {
  return { ...tokenExchanges[provider], title: federationOf(provider).title };
}

/** Refuses a token that the provider would refuse, before it is sent: a token that was seen on the way is a token less. */
function checkIdToken(idToken: string, at: ExchangeContext & { readonly nowMs: number }): void {
  if (idToken.length > MAX_ID_TOKEN_CHARS) throw fault("federation_token_too_large", at);
  const claims = claimsOf(idToken);
  if (claims === null) return;
  if (claims.expiresAt !== null && claims.expiresAt + CLOCK_SKEW_MS < at.nowMs)
    throw fault("federation_token_expired", at);
  if (!isFor(claims, at.federation.audience)) throw fault("federation_audience_refused", at);
}

function isFor({ audiences }: IdTokenClaims, audience: string): boolean {
  return audiences.length === 0 || audiences.includes(audience);
}

async function sendStep(
  { url, headers, body }: ExchangeStep,
  { federation, provider, options }: ExchangeContext & { readonly options: ExchangeOptions },
): Promise<ExchangeAnswer> {
  const { send: sendOne, signal } = options;
  const { host } = new URL(url);
  if (!federationOf(federation.provider).hosts(federation.identifiers).includes(host))
    throw new TypeError(`${host} is no host of ${provider.title}.`);
  try {
    return await sendOne({
      method: "POST",
      url,
      headers: { accept: "application/json", ...headers },
      body,
      timeoutMs: EXCHANGE_TIMEOUT_MS,
      maxBodyBytes: MAX_ANSWER_BYTES,
      signal,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof Error && "status" in cause) throw unreadable(provider, { host, cause });
    const why = cause instanceof Error ? ` ${cause.message}` : "";
    throw new FederationError({
      code: "federation_unreachable",
      message: `${provider.title}'s token endpoint cannot be reached.${why} Let the job reach ${host}, or run it again.`,
      cause,
    });
  }
}

/** An answer came, and was too large. */
function unreadable(
  { title }: Exchanger,
  { host, cause }: { readonly host: string; readonly cause: Error },
): FederationError {
  const message = `${title}'s token endpoint gave no answer of its own. ${cause.message} ${interceptor(host)}`;
  return new FederationError({ code: "federation_answer_invalid", message, cause });
}

function tokenOf(
  granted: Granted,
  { federation, provider, begunAt }: ExchangeContext & { readonly begunAt: number },
): AccessToken {
  const token = usableToken(granted, begunAt);
  if (token !== null) return token;
  const { host } = new URL(provider.exchangeUrl(federation.identifiers));
  throw new FederationError({
    code: "federation_answer_invalid",
    message: `${provider.title}'s token endpoint answered without a token that can be used. ${interceptor(host)}`,
    status: 200,
  });
}

type ExchangeContext = { readonly federation: ModelFederation; readonly provider: Exchanger };

function refusalOf(
  answer: ExchangeAnswer,
  at: ExchangeContext & {
    readonly step: ExchangeStep;
    readonly secrets: readonly string[];
    readonly nowMs: number;
  },
): FederationError {
  const { status } = answer;
  const { federation, provider, step, secrets, nowMs } = at;
  const { title } = provider;
  if (status >= 500 || status === 429 || status === 408) {
    return new FederationError({
      code: "federation_unavailable",
      message: `${title}'s token endpoint takes no exchange now (${status}). Run the job again later.`,
      status,
      retryAfterMs: parseRetryAfterMs(answer.headers("retry-after"), nowMs),
    });
  }
  if (status < 400) {
    return new FederationError({
      code: "federation_answer_invalid",
      message: `${title}'s token endpoint answered ${status}, which is no answer of it. ${interceptor(new URL(step.url).host)}`,
      status,
    });
  }
  const { error, text } = errorOf(answer.body);
  const explained = provider.explain({ status, error, text: text ?? "", url: step.url }, federation);
  return fault(explained, { ...at, status, error, said: text === null ? null : quote(text, secrets) });
}

type Told = ExchangeContext & {
  readonly status?: number;
  readonly error?: string | null;
  readonly said?: string | null;
};

/** The message of each refusal: what, which, what to do. */
function fault(explained: Explained, { federation, provider, status, error, said }: Told): FederationError {
  const { code, advice, clearsInMs } =
    typeof explained === "string"
      ? { code: explained, advice: null, clearsInMs: undefined }
      : { clearsInMs: undefined, ...explained };
  const { title, settingsPage, matches } = provider;
  const { audience, identifiers } = federation;
  const answered = status === undefined ? "" : ` (${[status, error].filter(Boolean).join(", ")})`;
  const named = Object.entries(identifiers).map(
    ([field, id]) => `${inputOf(federation.provider, field)} ${id}`,
  );
  const where = `in ${settingsPage}`;
  const text: Readonly<Record<FederationReason, string>> = {
    federation_refused: `${title} did not accept the ID token${answered}, and tells no more. Compare ${where}: ${matches}. The token is made for "${audience}"; the doctor shows what else it says.`,
    federation_request_invalid: `${title} cannot read the request${answered}${said === null || said === undefined ? "" : `: ${said}`} Correct ${named.join(", ")}.`,
    federation_identifier_unknown: `${title} knows none of these${answered}: ${named.join(", ")}. Copy them from there: ${settingsPage}.`,
    federation_account_refused: `${title} lets its owner use no account${answered}. Check ${where} that it exists and may be used: ${named.join(", ")}.`,
    federation_audience_refused: `The ID token is not made for what ${title} expects${answered}. It must be "${audience}", ${where} and here ("model-audience").`,
    federation_token_missing: `There is no ID token for ${title}.`,
    federation_token_expired: `The ID token for ${title} had expired before it was exchanged. Compare the runner's clock, or exchange it sooner after the job began.`,
    federation_token_used: `There is no ID token left for ${title}: it takes each of them once. Give the job one more token, or ask for less in one run.`,
    federation_token_too_large: `The ID token is larger than ${MAX_ID_TOKEN_CHARS} characters, which ${title} does not take. Let the CI provider put fewer claims into it.`,
    federation_unreachable: `${title}'s token endpoint cannot be reached.`,
    federation_unavailable: `${title}'s token endpoint takes no exchange now${answered}.`,
    federation_answer_invalid: `${title}'s token endpoint gave no answer of its own${answered}.`,
  };
  const message = advice === null ? text[code] : `${title} refused the exchange${answered}. ${advice}`;
  return new FederationError({ code, message, status: status ?? null, clearsInMs });
}

/** A token of the job that no provider takes twice. */
export function usedToken(federation: ModelFederation): FederationError {
  return fault("federation_token_used", { federation, provider: exchangerOf(federation) });
}

function interceptor(host: string): string {
  return `Look for a proxy that answers in the place of ${host}.`;
}

/**
 * `{"error": "invalid_grant", "error_description": "…"}`, Anthropic's `{"error": {"type": "…", "message": "…"}}`, Google's with `status` for
 * the type, or AWS's `{"Error": {"Code": "…", "Message": "…"}}`.
 */
function errorOf(body: string): { readonly error: string | null; readonly text: string | null } {
  const answer = parseObject(body) ?? {};
  const { error_description: description } = answer;
  const error = answer.error ?? answer.Error;
  const own = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const code = typeof error === "string" ? error : (own.type ?? own.status ?? own.Code);
  const text = typeof description === "string" ? description : (own.message ?? own.Message);
  return {
    error: typeof code === "string" && /^[A-Za-z_]{1,60}$/.test(code) ? code : null,
    text: typeof text === "string" ? text : null,
  };
}

/** One line of it, which holds no part of a secret. */
function quote(text: string, secrets: readonly string[]): string {
  const hidden = secrets.filter((part) => part.length > 8);
  const kept = hidden.reduce((whole, secret) => whole.replaceAll(secret, "[token]"), text);
  const line = kept.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  const shown = line.length > MAX_QUOTED_CHARS ? `${line.slice(0, MAX_QUOTED_CHARS)}…` : line;
  return /[.…]$/.test(shown) ? shown : `${shown}.`;
}
