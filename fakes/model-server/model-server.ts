// A model's API on loopback that answers as a script says, in the words of OpenAI, Anthropic and Gemini.
// It refuses what they refuse: a body of another form, and a history that breaks their rules (history-*.ts).

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod/mini";
import { readBody, sendJson } from "../code-host/server.ts";
import { deliver } from "./delivery.ts";
import { type Ending, type ModelRequest, type ToolResult, viewsOf } from "./request.ts";
import { type Conversations, conversationKey, conversationsOf, type Script } from "./script.ts";
import { fault, outOfTurns, settle, type Turn } from "./turn.ts";
import type { Wire } from "./wire.ts";
import { anthropic } from "./wire-anthropic.ts";
import { gemini } from "./wire-gemini.ts";
import { openAiChat } from "./wire-openai-chat.ts";
import { openAiResponses } from "./wire-openai-responses.ts";

export type ModelServerOptions = {
  readonly script: Script;
  /** A free one unless told. */
  readonly port?: number;
  /** What `GET /v1/models` lists, and has by name. Any name is answered by the others, listed or not. */
  readonly models?: readonly string[];
  /** False: a server that tells of no models. */
  readonly hasList?: boolean;
  /** Who shows another, or none, gets 401. Unless told, nobody is asked. */
  readonly apiKey?: string;
  /**
   * Whether it is the API of GitHub Copilot: resources without a version, but for Anthropic's; a client names its integration; models are
   * listed with their limits and the resources that they answer.
   */
  readonly isCopilot?: boolean;
  /** Which requests are one conversation. Unless told, those of one model with the same first user message. */
  readonly conversation?: (request: ModelRequest) => string;
  /** What the API refuses before the script is asked. See refusals.ts. */
  readonly refuse?: (request: ModelRequest) => Turn | null;
  /** False where there are too many requests to keep: `requests` and what is made of it stay empty. */
  readonly keepsRequests?: boolean;
  /** The id of the call of that number, from 1. Unless told, `call_1`, as OpenAI and Anthropic have it. */
  readonly callId?: (number: number) => string;
  /** Whether callers send histories that the API refuses. Unless told, `close` rejects where one did, whatever came of it. */
  readonly expectsBadHistories?: boolean;
};

export interface ModelServer {
  /** `http://127.0.0.1:<port>`, no slash at the end. */
  readonly url: string;
  /** What the AI SDK's providers take as `baseURL`. */
  readonly baseUrl: string;
  /** Those of the four wires that could be read, in the order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Every result once, in the order of arrival; those of one conversation where its first user message is given. */
  toolResults(firstUserMessage?: string): ToolResult[];
  /** Of the last request. Empty before the first. */
  systemPrompt(): string;
  /** The request of that number, from 1, as soon as it is there. */
  arrival(number: number): Promise<ModelRequest>;
  /** Cuts what is still open. Safe to repeat. Rejects where a history was refused. */
  close(): Promise<void>;
}

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { script, port = 0, models = ["scripted-model"], conversation = conversationKey } = options;
  const conversations = conversationsOf(script, conversation);
  const requests: ModelRequest[] = [];
  let arrived = 0;
  const badHistories: string[] = [];
  const awaited = new Map<number, PromiseWithResolvers<ModelRequest>>();
  const counts = new Map<string, number>();
  const nextId = (prefix: string): string => {
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    return `${prefix}_${count}`;
  };
  let calls = 0;
  const nextCallId = (): string => {
    calls += 1;
    return options.callId?.(calls) ?? `call_${calls}`;
  };
  const arrivalOf = (number: number) => {
    const known = awaited.get(number) ?? Promise.withResolvers<ModelRequest>();
    awaited.set(number, known);
    return known;
  };

  const refusedHistory = (wire: Wire, { body, path }: ModelRequest): Turn | null => {
    const refused = wire.refuseHistory(body, path);
    if (refused !== null) badHistories.push(JSON.stringify(refused));
    return refused;
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { isCopilot = false } = options;
    if (isCopilot && incoming.headers["copilot-integration-id"] === undefined)
      return sendJson(response, 400, { error: { message: "The header Copilot-Integration-Id is missing." } });
    const path = isCopilot ? versioned(incoming.url ?? "/") : (incoming.url ?? "/");
    if (incoming.method === "GET" && options.hasList !== false) {
      const isKnown = options.apiKey === undefined || apiKeyOf(incoming) === options.apiKey;
      if (!isKnown) return sendJson(response, 401, { error: { message: "Invalid API key." } });
      const asked = /^\/v1(?:beta)?\/(?:models\/([^/]+)|key)$/.exec(path);
      if (asked !== null) return sendOne(response, { asked: asked[1] ?? null, models });
      if (isCopilot && path === "/v1/models") return sendCopilotModels(response, models);
      if (path.startsWith("/v1/models")) return sendModels(incoming, response, models);
    }
    const wire = incoming.method === "POST" ? wireOf(path) : undefined;
    if (wire === undefined) return sendJson(response, 404, { error: { message: `No route ${path}.` } });
    const ended = Promise.withResolvers<Ending>();
    response.once("close", () => ended.resolve(response.writableFinished ? "answered" : "hung-up"));
    const request = await read({ wire, incoming, response, path, ended: ended.promise });
    if (request === null) return;
    if (options.keepsRequests !== false) requests.push(request);
    arrived += 1;
    arrivalOf(arrived).resolve(request);
    const isKnown = options.apiKey === undefined || request.apiKey === options.apiKey;
    const turn = isKnown
      ? (options.refuse?.(request) ?? refusedHistory(wire, request) ?? (await turnOf(request, conversations)))
      : fault({ status: 401, message: "Invalid API key." });
    const willCut = () => ended.resolve("cut");
    await deliver({ wire, request, response, nextId, nextCallId, willCut }, turn);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((cause: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { message: String(cause) } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    baseUrl: `${url}/v1`,
    requests,
    toolResults: (firstUserMessage) => {
      const of = requests.filter(
        (asked) => (firstUserMessage ?? asked.firstUserMessage) === asked.firstUserMessage,
      );
      const results = of.flatMap((asked) => asked.toolResults);
      return [...new Map(results.map((result) => [result.callId, result])).values()];
    },
    systemPrompt: () => requests.at(-1)?.system ?? "",
    arrival: (number) => arrivalOf(number).promise,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      const refused = badHistories.splice(0);
      if (refused.length > 0 && options.expectsBadHistories !== true)
        throw new Error(`The model's API refused ${refused.length} histories: ${refused.join("\n")}`);
    },
  };
}

function versioned(path: string): string {
  return path.startsWith("/v1/") ? path : `/v1${path}`;
}

function wireOf(path: string): Wire | undefined {
  return routes.find(([pattern]) => pattern.test(path))?.[1];
}

const routes: readonly (readonly [RegExp, Wire])[] = [
  [/^\/v1\/chat\/completions$/, openAiChat],
  [/^\/v1\/messages(\?|$)/, anthropic],
  [/^\/v1\/responses$/, openAiResponses],
  [/^\/v1beta\/models\/[^:/]+:(generateContent|streamGenerateContent\?(.*&)?alt=sse)/, gemini],
];

/** Null when the body was not of the wire's form, and is answered. */
async function read(options: {
  wire: Wire;
  incoming: IncomingMessage;
  response: ServerResponse;
  path: string;
  ended: Promise<Ending>;
}): Promise<ModelRequest | null> {
  const { wire, incoming, response, path, ended } = options;
  const text = (await readBody(incoming)).toString();
  try {
    const body: unknown = JSON.parse(text);
    const asked = wire.decode(body, path);
    return {
      ...asked,
      ...viewsOf(asked),
      wire: wire.name,
      method: incoming.method ?? "",
      path,
      headers: incoming.headers,
      body,
      apiKey: apiKeyOf(incoming),
      ended,
    };
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.core.$ZodError)) throw cause;
    sendJson(response, 400, wire.failure(400, `Not a body of ${wire.name}: ${cause.message}`));
    return null;
  }
}

async function turnOf(request: ModelRequest, conversations: Conversations): Promise<Turn> {
  try {
    const next = await conversations.next(request);
    if (next === "unknown") return fault({ status: 404, message: `No script for model "${request.model}".` });
    return next === "ended" ? outOfTurns(request) : await settle(next.step, request);
  } catch (cause) {
    return fault({ status: 400, message: `The script failed: ${String(cause)}` });
  }
}

function apiKeyOf({ headers }: IncomingMessage): string | null {
  const own = headers["x-api-key"] ?? headers["x-goog-api-key"];
  if (typeof own === "string") return own;
  return /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? null;
}

/** One model by its name, or, as OpenRouter has it, the key that asks. */
function sendOne(
  response: ServerResponse,
  { asked, models }: { readonly asked: string | null; readonly models: readonly string[] },
): void {
  const id = asked === null ? null : decodeURIComponent(asked);
  if (id !== null && !models.includes(id)) {
    sendJson(response, 404, { error: { message: `No model "${id}".` } });
  } else sendJson(response, 200, id === null ? { data: { label: "key" } } : { id });
}

function sendModels(incoming: IncomingMessage, response: ServerResponse, models: readonly string[]): void {
  if (incoming.headers["anthropic-version"] === undefined) {
    const data = models.map((id) => ({ id, object: "model", created: 0, owned_by: "script" }));
    sendJson(response, 200, { object: "list", data });
    return;
  }
  const data = models.map((id) => ({
    type: "model",
    id,
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
  }));
  sendJson(response, 200, {
    data,
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  });
}

/** As Copilot CLI 1.0.102 reads it: by its resources it chooses one of the three wires. */
function sendCopilotModels(response: ServerResponse, models: readonly string[]): void {
  const data = models.map((id) => ({
    id,
    name: id,
    object: "model",
    vendor: "script",
    version: id,
    preview: false,
    model_picker_enabled: true,
    policy: { state: "enabled", terms: "" },
    supported_endpoints: id.startsWith("claude-") ? ["/v1/messages"] : ["/responses"],
    capabilities: {
      family: id,
      type: "chat",
      tokenizer: "o200k_base",
      object: "model_capabilities",
      limits: { max_context_window_tokens: 200_000, max_output_tokens: 16_000, max_prompt_tokens: 180_000 },
      supports: { streaming: true, tool_calls: true, parallel_tool_calls: true },
    },
  }));
  sendJson(response, 200, { object: "list", data });
}
