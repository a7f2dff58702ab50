// What the proxy knows of each protocol of a model: where it is, how the key is sent, and the variables by which agents are
// pointed to it. Pure.
// By the agents' own documentation, looked up on 2026-11-22: Claude Code (ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY), OpenAI's
// libraries (OPENAI_BASE_URL, OPENAI_API_KEY), Gemini CLI (GOOGLE_GEMINI_BASE_URL, GEMINI_API_KEY).

export const modelWires = ["openai-compatible", "anthropic", "gemini"] as const;
export type ModelWire = (typeof modelWires)[number];

/** In the agent's variables and in its command: where it reaches its model, and what it shows as its key. */
export const MODEL_URL = "{model_url}";
export const MODEL_KEY = "{model_key}";

type WireFacts = {
  /** What an agent's client writes before the names of resources; the base URL has its own. */
  readonly version: string;
  /** How much of the version the agent's own base URL holds. */
  readonly urlPath: string;
  readonly variables: Readonly<Record<string, string>>;
  keyHeader(key: string): readonly [string, string];
};

export const wireFacts: Readonly<Record<ModelWire, WireFacts>> = {
  anthropic: {
    version: "/v1",
    urlPath: "",
    variables: { ANTHROPIC_BASE_URL: MODEL_URL, ANTHROPIC_API_KEY: MODEL_KEY },
    keyHeader: (key) => ["x-api-key", key],
  },
  "openai-compatible": {
    version: "/v1",
    urlPath: "/v1",
    variables: { OPENAI_BASE_URL: MODEL_URL, OPENAI_API_KEY: MODEL_KEY },
    keyHeader: (key) => ["authorization", `Bearer ${key}`],
  },
  gemini: {
    version: "/v1beta",
    urlPath: "",
    variables: { GOOGLE_GEMINI_BASE_URL: MODEL_URL, GEMINI_API_KEY: MODEL_KEY },
    keyHeader: (key) => ["x-goog-api-key", key],
  },
};

/** The text with the agent's own address and token in the places for them. */
export function pointedTo(text: string, at: { readonly url: string; readonly token: string }): string {
  return text.replaceAll(MODEL_URL, at.url).replaceAll(MODEL_KEY, at.token);
}
