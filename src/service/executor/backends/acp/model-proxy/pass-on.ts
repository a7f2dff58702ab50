// Sends one decoded request to the model's server, with the key in place of the token, and its answer back to the agent.

import { once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { errorCode } from "../../../../../base/error-code.ts";
import { federationOf } from "../../../../../contract/models/federations.ts";
import { keyHeader } from "../../../../../contract/models/protocols.ts";
import { tokenExchanges } from "../../../../../federation/providers.ts";
import { rawPredict } from "../../../../../federation/raw-predict.ts";
import type { SecretMask } from "../../../secret-mask.ts";
import type { ModelAccess } from "./model-access.ts";
import type { ModelRoute } from "./model-routes.ts";
import { ProxyRefusal } from "./proxy-refusal.ts";
import { passedHeaders } from "./request-headers.ts";
import type { Settlement } from "./settlement.ts";

const MAX_ANSWER_CHARS = 64 * 1024 * 1024;
const MAX_QUERY_CHARS = 200;
/** Statuses by which servers refuse a parameter. */
const correctable: ReadonlySet<number> = new Set([400, 422]);

const answerHeaders =
  /^(content-type|retry-after|retry-after-ms|x-should-retry|request-id|x-request-id|openai-model|anthropic-ratelimit-[a-z-]+|x-ratelimit-[a-z-]+)$/;

/** The address of a request. */
export type Addressed = {
  readonly access: ModelAccess;
  readonly route: ModelRoute;
  /** The path below the version of the protocol. */
  readonly resource: string;
  readonly query: URLSearchParams;
  /** The model that the path names, if any. */
  readonly model: string | null;
  readonly mask: SecretMask;
  /** Aborts when the agent has hung up: what was sent is read to its end all the same, because it is paid for. */
  readonly left: AbortSignal;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

type Exchange = {
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  /** Null: the request has none. */
  readonly body: string | null;
  /** Of an answer that costs tokens. */
  readonly settlement?: Settlement;
  /** The body to send instead after such a refusal, once; null where there is none. */
  readonly correct?: ((said: string) => string | null) | null;
};

export async function passOn(exchange: Exchange, addressed: Addressed): Promise<void> {
  const { response, settlement } = exchange;
  const { mask, left, signal } = addressed;
  const { answer, said } = await ask(exchange, addressed);
  if (!answer.ok) settlement?.release();
  if (!left.aborted) {
    const kept = [...answer.headers].filter(([name]) => answerHeaders.test(name));
    response.writeHead(
      answer.status,
      kept.flatMap(([name, value]) => [name, mask.apply(value)]),
    );
  }
  const counted = answer.ok ? (settlement?.answer(answer.headers.get("content-type") ?? "") ?? null) : null;
  const masked = mask.stream();
  const decoder = new TextDecoder();
  const send = (text: string) => relay(response, text, AbortSignal.any([left, signal]));
  let chars = 0;
  for await (const chunk of said === null ? (answer.body ?? []) : [Buffer.from(said)]) {
    const text = decoder.decode(chunk, { stream: true });
    chars += text.length;
    if (chars > MAX_ANSWER_CHARS) throw new ProxyRefusal(502, "The model's answer is too long.");
    counted?.add(text);
    await send(masked.add(text));
  }
  counted?.end();
  response.end(masked.add(decoder.decode()) + masked.end());
}

type Asked = {
  readonly answer: Response;
  /** The part of a refusal that was read already. */
  readonly said: string | null;
};

async function ask(
  { headers, body, correct = null, settlement }: Exchange,
  addressed: Addressed,
): Promise<Asked> {
  const request = async (text: string | null) => {
    try {
      const sent = await headersOf(headers, addressed);
      return { answer: await requested(sent, { body: text, addressed }), said: null };
    } catch (cause) {
      // It was not sent, or not taken.
      if (!addressed.signal.aborted) settlement?.release();
      throw cause;
    }
  };
  const first = await request(body);
  if (correct === null || !correctable.has(first.answer.status)) return first;
  const said = await first.answer.text();
  const corrected = correct(said);
  return corrected === null ? { ...first, said } : await request(corrected);
}

/** Throws a `ProxyRefusal` where the server has not taken the request. */
async function requested(
  headers: Headers,
  { body, addressed }: { readonly body: string | null; readonly addressed: Addressed },
): Promise<Response> {
  const { access, route, signal } = addressed;
  const address = urlOf(addressed);
  const asked =
    body !== null && access.isRawPredict === true
      ? rawPredict({ url: address, body })
      : { url: address, body };
  const answer = await fetch(asked.url, {
    method: route.method,
    headers,
    // A redirect could carry the key to another host.
    redirect: "manual",
    signal,
    ...(asked.body === null ? {} : { body: asked.body }),
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new ProxyRefusal(502, `The model's server could not be reached (${reasonOf(cause)}).`);
  });
  if (answer.status < 300 || answer.status >= 400) return answer;
  await answer.body?.cancel();
  throw new ProxyRefusal(502, "The model's server answered with a redirect, which is not followed.");
}

/** An agent that has hung up is not waited for. */
async function relay(response: ServerResponse, text: string, gone: AbortSignal): Promise<void> {
  if (text === "" || response.destroyed || response.write(text)) return;
  await once(response, "drain", { signal: gone }).catch(() => undefined);
}

function urlOf({ access, route, resource, query, model }: Addressed): string {
  const kept = new URLSearchParams(
    route.query.flatMap((name) =>
      query
        .getAll(name)
        .filter((value) => value.length <= MAX_QUERY_CHARS)
        .map((value) => [name, value]),
    ),
  );
  const path = model === null ? resource : `/models/${model}${resource.slice(resource.lastIndexOf(":"))}`;
  return `${access.baseUrl}${path}${kept.size === 0 ? "" : `?${kept}`}`;
}

async function headersOf(
  given: IncomingHttpHeaders,
  { access: { wire, baseUrl, apiKey, brought, federated = brought?.access }, route, mask, signal }: Addressed,
): Promise<Headers> {
  const headers = passedHeaders(given, wire);
  if (route.method === "POST") headers.set("content-type", "application/json");
  if (federated !== undefined) {
    const { host } = new URL(baseUrl);
    if (!federationOf(federated.provider).hosts(federated.identifiers).includes(host))
      throw new ProxyRefusal(502, `The token of the model's provider is not for ${host}.`);
    const token = await federated.token(signal);
    mask.add(...federated.known());
    headers.set("authorization", `Bearer ${token}`);
    for (const [name, value] of Object.entries(tokenExchanges[federated.provider].apiHeaders))
      headers.append(name, value);
  } else if (apiKey !== null) headers.set(...keyHeader(wire, apiKey));
  return headers;
}

/** Node hides the reason of a failed fetch in its cause. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error ? cause.cause : undefined;
  return errorCode(inner) ?? errorCode(cause) ?? "no reason given";
}
