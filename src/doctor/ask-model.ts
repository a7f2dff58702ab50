// One question to a model's API, the cheapest that needs the key: the model by its name, or a list. Where a server has
// neither, an answer of one token. Looked up on 2026-11-26:
// https://platform.claude.com/docs/en/api/models/retrieve, https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key
// (its list of models is public), https://ai.google.dev/api/models (a wrong key is a 400 API_KEY_INVALID).

import { ConnectionError } from "../client/errors.ts";
import type { Transport, TransportResponse } from "../client/transport.ts";
import { keyHeader, type ModelProtocol } from "../contract/models/protocols.ts";
import { modelProviders, providerAt } from "../contract/models/providers.ts";
import { refusesModelName } from "../contract/models/refused-name.ts";
import { rawPredict } from "../federation/raw-predict.ts";

const ANSWER_MS = 15_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const ANTHROPIC_VERSION = "2023-06-01";
/** The Responses API takes no fewer. */
const LEAST_OUTPUT_TOKENS = 16;

/** A model's API, and what opens it. */
export type ModelApi = {
  readonly protocol: ModelProtocol;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Null: the API is asked for its list. */
  readonly model: string | null;
  /** Null: none is sent. */
  readonly secret: { readonly type: "key" | "token" | "github_token"; readonly value: string } | null;
  /** Whether it tells of no models, so that one is asked for an answer of one token. */
  readonly hasNoModels?: boolean;
  /** Claude on Vertex AI. */
  readonly isRawPredict?: boolean | undefined;
  /** The right that a token needs, as advice where it is refused. */
  readonly neededRight?: string | undefined;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
};

type ModelAnswer =
  | { readonly type: "reached" }
  /** A list without the model: an alias of it may be served all the same. */
  | { readonly type: "unlisted" }
  | { readonly type: "refused"; readonly status: number }
  | { readonly type: "no_model"; readonly status: number }
  | { readonly type: "failed"; readonly status: number }
  | { readonly type: "unreached"; readonly message: string };

export type ModelAsking = { readonly transport: Transport; readonly signal: AbortSignal | undefined };

/** Rejects with the signal's reason alone. */
export async function askModel(api: ModelApi, asking: ModelAsking): Promise<ModelAnswer> {
  try {
    return await ask(api, asking);
  } catch (cause) {
    asking.signal?.throwIfAborted();
    if (!(cause instanceof ConnectionError)) throw cause;
    return { type: "unreached", message: cause.message };
  }
}

async function ask(api: ModelApi, asking: ModelAsking): Promise<ModelAnswer> {
  const { protocol, baseUrl, model } = api;
  if (api.hasNoModels === true && model !== null)
    return judge(await send(api, { ...asking, ...smallestQuestion(protocol, model) }));
  if (protocol !== "openai-compatible") {
    const path = model === null ? "/models" : `/models/${encodeURIComponent(model)}`;
    return judge(await send(api, { ...asking, path }));
  }
  const keyResource = keyResourceAt(baseUrl);
  if (keyResource !== null) return judge(await send(api, { ...asking, path: keyResource }));
  const list = await send(api, { ...asking, path: "/models" });
  if (list.status === 200)
    return model === null || lists(list, model) ? { type: "reached" } : { type: "unlisted" };
  if (model === null || (list.status !== 404 && list.status !== 405)) return judge(list);
  return judge(await send(api, { ...asking, ...smallestQuestion(protocol, model) }));
}

type Question = { readonly path: string; readonly body: unknown };

/** A request whose answer has one token, or as few as the protocol allows. */
function smallestQuestion(protocol: ModelProtocol, model: string): Question {
  const content = "Say yes.";
  const messages = [{ role: "user", content }];
  switch (protocol) {
    case "anthropic":
      return { path: "/messages", body: { model, max_tokens: 1, messages } };
    case "openai":
      return {
        path: "/responses",
        body: { model, input: content, max_output_tokens: LEAST_OUTPUT_TOKENS, store: false },
      };
    case "openai-compatible":
      return { path: "/chat/completions", body: { model, max_tokens: 1, messages } };
    case "google":
      return {
        path: `/models/${encodeURIComponent(model)}:generateContent`,
        body: {
          contents: [{ role: "user", parts: [{ text: content }] }],
          generationConfig: { maxOutputTokens: 1 },
        },
      };
  }
}

function keyResourceAt(baseUrl: string): string | null {
  const provider = providerAt(baseUrl);
  return provider === null ? null : modelProviders[provider].keyResource;
}

async function send(
  { protocol, baseUrl, secret, isRawPredict = false, headers = {} }: ModelApi,
  { transport, signal, path, body }: ModelAsking & { readonly path: string; readonly body?: unknown },
): Promise<TransportResponse> {
  const written = body === undefined ? undefined : JSON.stringify(body);
  const plain = { url: `${baseUrl}${path}`, body: written ?? "" };
  const asked = isRawPredict ? rawPredict(plain) : plain;
  return await transport({
    method: written === undefined ? "GET" : "POST",
    url: asked.url,
    headers: {
      accept: "application/json",
      "user-agent": "agent-service-doctor",
      ...(protocol === "anthropic" ? { "anthropic-version": ANTHROPIC_VERSION } : {}),
      ...secretHeader(protocol, secret),
      ...headers,
      ...(written === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(written === undefined ? {} : { body: asked.body }),
    timeoutMs: ANSWER_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
    signal,
  });
}

function secretHeader(protocol: ModelProtocol, secret: ModelApi["secret"]): Readonly<Record<string, string>> {
  if (secret === null) return {};
  if (secret.type === "token") return { authorization: `Bearer ${secret.value}` };
  return Object.fromEntries([keyHeader(protocol, secret.value)]);
}

function judge({ status, body }: TransportResponse): ModelAnswer {
  if (status >= 200 && status < 300) return { type: "reached" };
  if (status === 401 || status === 403) return { type: "refused", status };
  // Google's word for a key that it does not know.
  if (status === 400 && body.includes("API_KEY_INVALID")) return { type: "refused", status };
  return status === 404 || refusesModelName(status, body)
    ? { type: "no_model", status }
    : { type: "failed", status };
}

/** A list of another form says nothing against the model. */
function lists({ body }: TransportResponse, model: string): boolean {
  const ids = idsIn(body);
  return ids === null || ids.includes(model);
}

function idsIn(body: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || !("data" in value) || !Array.isArray(value.data)) {
      return null;
    }
    return value.data.map((one: unknown) =>
      typeof one === "object" && one !== null && "id" in one ? one.id : null,
    );
  } catch {
    return null;
  }
}
