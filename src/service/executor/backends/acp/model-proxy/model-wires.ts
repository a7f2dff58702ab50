// What the proxy knows of each protocol of a model: where it is, how the key is sent, which requests are passed on, and
// the variables by which agents are pointed to it. Pure.
// By the agents' own documentation, looked up on 2026-11-22: Claude Code (ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY), OpenAI's
// libraries (OPENAI_BASE_URL, OPENAI_API_KEY), Gemini CLI (GOOGLE_GEMINI_BASE_URL, GEMINI_API_KEY).

export const modelWires = ["openai-compatible", "anthropic", "gemini"] as const;
export type ModelWire = (typeof modelWires)[number];

/** In the agent's variables and in its command: where it reaches its model, and what it shows as its key. */
export const MODEL_URL = "{model_url}";
export const MODEL_KEY = "{model_key}";

export type ModelRoute = {
  readonly method: "GET" | "POST";
  /** Of the path below the version; its first group is the model, where the path names it. */
  readonly path: RegExp;
  /** Whether an answer costs tokens. */
  readonly isCounted: boolean;
};

type WireFacts = {
  /** What an agent's client writes before the names of resources; the base URL has its own. */
  readonly version: string;
  /** How much of the version the agent's own base URL holds. */
  readonly urlPath: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly routes: readonly ModelRoute[];
  keyHeader(key: string): readonly [string, string];
};

const models: ModelRoute = { method: "GET", path: /^\/models(?:\/[\w.:@-]+)?$/, isCounted: false };
const post = (path: RegExp): ModelRoute => ({ method: "POST", path, isCounted: true });

export const wireFacts: Readonly<Record<ModelWire, WireFacts>> = {
  anthropic: {
    version: "/v1",
    urlPath: "",
    variables: { ANTHROPIC_BASE_URL: MODEL_URL, ANTHROPIC_API_KEY: MODEL_KEY },
    routes: [
      post(/^\/messages$/),
      { method: "POST", path: /^\/messages\/count_tokens$/, isCounted: false },
      models,
    ],
    keyHeader: (key) => ["x-api-key", key],
  },
  "openai-compatible": {
    version: "/v1",
    urlPath: "/v1",
    variables: { OPENAI_BASE_URL: MODEL_URL, OPENAI_API_KEY: MODEL_KEY },
    routes: [post(/^\/chat\/completions$/), post(/^\/responses$/), models],
    keyHeader: (key) => ["authorization", `Bearer ${key}`],
  },
  gemini: {
    version: "/v1beta",
    urlPath: "",
    variables: { GOOGLE_GEMINI_BASE_URL: MODEL_URL, GEMINI_API_KEY: MODEL_KEY },
    routes: [
      post(/^\/models\/([\w.-]+):(?:generateContent|streamGenerateContent)$/),
      { method: "POST", path: /^\/models\/([\w.-]+):countTokens$/, isCounted: false },
      models,
    ],
    keyHeader: (key) => ["x-goog-api-key", key],
  },
};

/** A path without its version, and its route. Null for what is not passed on. */
export function routeOf(
  wire: ModelWire,
  { method, path }: { readonly method: string; readonly path: string },
): { readonly resource: string; readonly route: ModelRoute; readonly model: string | null } | null {
  const { version, routes } = wireFacts[wire];
  if (!path.startsWith(`${version}/`)) return null;
  const resource = path.slice(version.length);
  for (const route of routes) {
    const found = route.method === method ? route.path.exec(resource) : null;
    if (found !== null) return { resource, route, model: found[1] ?? null };
  }
  return null;
}

/** The text with the agent's own address and token in the places for them. */
export function pointedTo(text: string, at: { readonly url: string; readonly token: string }): string {
  return text.replaceAll(MODEL_URL, at.url).replaceAll(MODEL_KEY, at.token);
}
