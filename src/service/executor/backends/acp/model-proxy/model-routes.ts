// Routes of each protocol that are passed on, and the parts of them that are decoded. Pure.

import type { CodingAgentWire } from "../../../../../contract/models/protocols.ts";
import { wireFacts } from "./model-wires.ts";
import { decodeCountedMessages, decodeMessages } from "./requests/anthropic.ts";
import { decodeCountedContents, decodeGenerated } from "./requests/gemini.ts";
import type { RequestDecoder } from "./requests/model-request.ts";
import { decodeChat } from "./requests/openai-chat.ts";
import { decodeResponses } from "./requests/openai-responses.ts";

export type ModelRoute = {
  readonly method: "GET" | "POST";
  /** Of the path below the version; its first group is the model, where the path names it. */
  readonly path: RegExp;
  /** The parameters of its query that are passed on. A key could be among the rest. */
  readonly query: readonly string[];
  /** Whether an answer costs tokens. */
  readonly isCounted: boolean;
  /** Null where the request has no body. */
  readonly decode: RequestDecoder | null;
};

const models: ModelRoute = {
  method: "GET",
  path: /^\/models(?:\/[\w.:@-]+)?$/,
  query: ["client_version", "limit", "after_id", "before_id", "pageSize", "pageToken"],
  isCounted: false,
  decode: null,
};
const post = (path: RegExp, decode: RequestDecoder): ModelRoute => ({
  method: "POST",
  path,
  query: ["alt", "beta"],
  isCounted: true,
  decode,
});

const routes: Readonly<Record<CodingAgentWire, readonly ModelRoute[]>> = {
  anthropic: [
    post(/^\/messages$/, decodeMessages),
    { ...post(/^\/messages\/count_tokens$/, decodeCountedMessages), isCounted: false },
    models,
  ],
  "openai-compatible": [
    post(/^\/chat\/completions$/, decodeChat),
    post(/^\/responses$/, decodeResponses),
    models,
  ],
  copilot: [
    post(/^\/chat\/completions$/, decodeChat),
    post(/^\/responses$/, decodeResponses),
    post(/^\/v1\/messages$/, decodeMessages),
    models,
  ],
  gemini: [
    post(/^\/models\/([\w.-]+):(?:generateContent|streamGenerateContent)$/, decodeGenerated),
    { ...post(/^\/models\/([\w.-]+):countTokens$/, decodeCountedContents), isCounted: false },
    models,
  ],
};

/** A path without its version, and its route. Null for what is not passed on. */
export function routeOf(
  wire: CodingAgentWire,
  { method, path }: { readonly method: string; readonly path: string },
): { readonly resource: string; readonly route: ModelRoute; readonly model: string | null } | null {
  const { version } = wireFacts[wire];
  if (!path.startsWith(`${version}/`)) return null;
  const resource = path.slice(version.length);
  for (const route of routes[wire]) {
    const found = route.method === method ? route.path.exec(resource) : null;
    if (found !== null) return { resource, route, model: found[1] ?? null };
  }
  return null;
}
