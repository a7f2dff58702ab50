// Passes one request of an agent on to its model's server, with the key in place of the token, and the answer back.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { federationProviders } from "../../../../../federation/providers.ts";
import { isPriced, type Rates } from "../../../../core/money/rates.ts";
import type { SecretMask } from "../../../secret-mask.ts";
import { countTokens } from "../../model/reported-usage.ts";
import { tokensOf } from "../../model/token-estimate.ts";
import { AnswerUsage } from "./answer-usage.ts";
import type { ModelAccess } from "./model-access.ts";
import { type ModelRoute, wireFacts } from "./model-wires.ts";
import type { Excess, ProxyBudget } from "./proxy-budget.ts";
import { ProxyRefusal } from "./proxy-refusal.ts";

/** The most that Anthropic accepts. */
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;
const MAX_ANSWER_CHARS = 64 * 1024 * 1024;
const DEFAULT_OUTPUT_TOKENS = 8_000;
/** More than any model takes or gives. A server may keep earlier parts of a conversation, so the request is no bound. */
const MAX_TOKENS = 10_000_000;
const MAX_MODEL_CHARS = 200;

/** All others stay behind, the token among them: some choose an organisation, a project or another key. */
const requestHeaders =
  /^(accept|content-type|user-agent|anthropic-version|anthropic-beta|openai-beta|originator|session_id|conversation_id|x-goog-api-client|x-stainless-[a-z-]+)$/;
const answerHeaders =
  /^(content-type|retry-after|retry-after-ms|x-should-retry|request-id|x-request-id|openai-model|anthropic-ratelimit-[a-z-]+|x-ratelimit-[a-z-]+)$/;
/** Of the query; a key could be among the rest. */
const queryNames = [
  "alt",
  "beta",
  "client_version",
  "limit",
  "after_id",
  "before_id",
  "pageSize",
  "pageToken",
];

export type Forwarded = {
  readonly access: ModelAccess;
  readonly route: ModelRoute;
  /** The path below the version of the protocol. */
  readonly resource: string;
  readonly query: URLSearchParams;
  /** The model that the path names, if any. */
  readonly model: string | null;
  readonly budget: ProxyBudget;
  /** Null where the run's own account pays. */
  readonly rates: Rates | null;
  readonly mask: SecretMask;
  /** Called when a bound of the run forbids the request. */
  readonly onExcess: (excess: Excess) => void;
  /** Aborts when the run stops: it is settled at once, with what was used by then. */
  readonly stopped: AbortSignal;
  /** Aborts when the answer is of no use any more. */
  readonly signal: AbortSignal;
};

/** Rejects with a `ProxyRefusal`, or with the signal's reason. What was used is counted in each case. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  forwarded: Forwarded,
): Promise<void> {
  const body = forBrought(await readBody(request), forwarded);
  if (!forwarded.route.isCounted) {
    await passOn({ request, response, body, usage: null }, forwarded);
    return;
  }
  const { model, maxOutputTokens } = askedIn(parsed(body));
  const inputTokens = tokensOf(body.length);
  const modelId = forwarded.model ?? model;
  if (forwarded.rates !== null && !isPriced(forwarded.rates, modelId))
    throw new ProxyRefusal(
      400,
      `This service has no price for the model ${JSON.stringify(modelId)}. Use another, or its operator may add it to RATES_FILE.`,
    );
  const call = await forwarded.budget.begin({
    modelId,
    inputTokens,
    maxOutputTokens,
  });
  if (!call.ok) {
    forwarded.onExcess(call.excess);
    throw new ProxyRefusal(403, boundText[call.excess]);
  }
  let usage = null as AnswerUsage | null;
  let isCounted = false;
  const count = () => {
    if (isCounted) return;
    isCounted = true;
    const size = { sentBytes: MAX_TOKENS, estimatedInput: inputTokens, maxOutputTokens: MAX_TOKENS };
    call.count(usage === null ? null : countTokens(usage.reported, { ...size, ...usage.size }));
  };
  const read = (contentType: string) => {
    usage = new AnswerUsage(contentType);
    return usage;
  };
  forwarded.stopped.addEventListener("abort", count, { once: true });
  try {
    const limited = withOutputLimit(body, { asked: maxOutputTokens, allowed: call.maxOutputTokens });
    await passOn({ request, response, body: limited, usage: read }, forwarded);
  } finally {
    forwarded.stopped.removeEventListener("abort", count);
    count();
  }
}

const boundText: Readonly<Record<Excess, string>> = {
  max_tokens: "The run has reached its limit of tokens (max_turn_tokens). It ends here.",
  max_cost: "The run has reached its limit of cost (max_cost_usd). It ends here.",
  credits: "The credits of the run's billing account do not suffice for another request. The run ends here.",
};

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  /** Made for an answer that costs tokens. */
  readonly usage: ((contentType: string) => AnswerUsage) | null;
};

async function passOn({ request, response, body, usage }: Exchange, forwarded: Forwarded): Promise<void> {
  const { mask, route, signal } = forwarded;
  const answer = await fetch(urlOf(forwarded), {
    method: route.method,
    headers: await headersOf(request, forwarded),
    // A redirect could carry the key to another host.
    redirect: "manual",
    signal,
    ...(route.method === "POST" ? { body: new Uint8Array(body) } : {}),
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new ProxyRefusal(502, `The model's server could not be reached (${codeOf(cause)}).`);
  });
  if (answer.status >= 300 && answer.status < 400) {
    await answer.body?.cancel();
    throw new ProxyRefusal(502, "The model's server answered with a redirect, which is not followed.");
  }
  const kept = [...answer.headers].filter(([name]) => answerHeaders.test(name));
  response.writeHead(
    answer.status,
    kept.flatMap(([name, value]) => [name, mask.apply(value)]),
  );
  const counted = answer.ok ? (usage?.(answer.headers.get("content-type") ?? "") ?? null) : null;
  const masked = mask.stream();
  const decoder = new TextDecoder();
  let chars = 0;
  for await (const chunk of answer.body ?? []) {
    const text = decoder.decode(chunk, { stream: true });
    chars += text.length;
    if (chars > MAX_ANSWER_CHARS) throw new ProxyRefusal(502, "The model's answer is too long.");
    counted?.add(text);
    await send(response, masked.add(text), signal);
  }
  counted?.end();
  response.end(masked.add(decoder.decode()) + masked.end());
}

async function send(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (text === "" || response.write(text)) return;
  await once(response, "drain", { signal });
}

function urlOf({ access, resource, query }: Forwarded): string {
  const kept = new URLSearchParams(
    queryNames.flatMap((name) => query.getAll(name).map((value) => [name, value])),
  );
  return `${access.baseUrl}${resource}${kept.size === 0 ? "" : `?${kept}`}`;
}

async function headersOf(
  { headers }: IncomingMessage,
  { access: { wire, apiKey, brought, federated = brought?.access }, mask, signal }: Forwarded,
): Promise<Headers> {
  const passed = new Headers({ "accept-encoding": "identity" });
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string" && requestHeaders.test(name)) passed.set(name, value);
  }
  if (federated !== undefined) {
    const token = await federated.token(signal);
    mask.add(...federated.known());
    passed.set("authorization", `Bearer ${token}`);
    for (const [name, value] of Object.entries(federationProviders[federated.provider].apiHeaders))
      passed.append(name, value);
  } else if (apiKey !== null) passed.set(...wireFacts[wire].keyHeader(apiKey));
  return passed;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES)
      throw new ProxyRefusal(413, `A request may have ${MAX_REQUEST_BYTES} bytes. Send less at once.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    throw new ProxyRefusal(400, "The body must be JSON.");
  }
}

/** The request for the model that the run's job asked for, whichever its agent would choose. */
function forBrought(body: Buffer, { access, route }: Forwarded): Buffer {
  if (access.brought === undefined || route.method !== "POST") return body;
  return Buffer.from(JSON.stringify({ ...parsed(body), model: access.brought.model }));
}

/** Where the protocols have the longest answer that is asked for. */
const outputLimits = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;

/** The request with a shorter answer, where so much is not left. One that names no length stays as it is. */
function withOutputLimit(
  body: Buffer,
  { asked, allowed }: { readonly asked: number; readonly allowed: number },
): Buffer {
  if (allowed >= asked) return body;
  const request = parsed(body);
  const named = outputLimits.filter((name) => typeof request[name] === "number");
  const generation = generationOf(request);
  return Buffer.from(
    JSON.stringify({
      ...request,
      ...Object.fromEntries(named.map((name) => [name, allowed])),
      ...("maxOutputTokens" in generation
        ? { generationConfig: { ...generation, maxOutputTokens: allowed } }
        : {}),
    }),
  );
}

function generationOf({
  generationConfig,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof generationConfig === "object" && generationConfig !== null ? { ...generationConfig } : {};
}

function askedIn(asked: Readonly<Record<string, unknown>>): {
  readonly model: string;
  readonly maxOutputTokens: number;
} {
  const sizes = [...outputLimits.map((name) => asked[name]), generationOf(asked).maxOutputTokens];
  const size = sizes.find((value) => typeof value === "number" && Number.isSafeInteger(value) && value > 0);
  return {
    model: typeof asked.model === "string" ? asked.model.slice(0, MAX_MODEL_CHARS) : "",
    maxOutputTokens: typeof size === "number" ? size : DEFAULT_OUTPUT_TOKENS,
  };
}

/** Node hides the reason of a failed fetch in its cause. */
function codeOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error && "code" in inner ? String(inner.code) : "no reason given";
}
