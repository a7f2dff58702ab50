// The protocols of models as the proxy passes them on: the version in their paths, and the variables by which agents are
// pointed to them. Pure.
// By the agents' own documentation, looked up on 2026-11-22: Claude Code (ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY), OpenAI's
// libraries (OPENAI_BASE_URL, OPENAI_API_KEY), Gemini CLI (GOOGLE_GEMINI_BASE_URL, GEMINI_API_KEY). Copilot CLI 1.0.102 was looked at on
// 2026-11-28: it asks the address in COPILOT_API_URL alone, which its documentation does not name, and takes no token of another form than GitHub's.

import type { CodingAgentWire } from "../../../../../contract/models/protocols.ts";
import { modelProviders } from "../../../../../contract/models/providers.ts";

/** In the agent's variables and in its command: where it reaches its model, and what it shows as its key. */
export const MODEL_URL = "{model_url}";
export const MODEL_KEY = "{model_key}";

type WireFacts = {
  /** The version that an agent's client writes before the names of resources; the base URL has its own. */
  readonly version: string;
  /** The part of the version that the agent's own base URL holds. */
  readonly urlPath: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The beginning of keys, for agents that look at it. */
  readonly keyPrefix: string;
};

export const wireFacts: Readonly<Record<CodingAgentWire, WireFacts>> = {
  anthropic: {
    version: "/v1",
    urlPath: "",
    variables: { ANTHROPIC_BASE_URL: MODEL_URL, [modelProviders.anthropic.keyVariable]: MODEL_KEY },
    keyPrefix: "",
  },
  "openai-compatible": {
    version: "/v1",
    urlPath: "/v1",
    variables: { OPENAI_BASE_URL: MODEL_URL, [modelProviders.openai.keyVariable]: MODEL_KEY },
    keyPrefix: "",
  },
  gemini: {
    version: "/v1beta",
    urlPath: "",
    variables: { GOOGLE_GEMINI_BASE_URL: MODEL_URL, [modelProviders.google.keyVariable]: MODEL_KEY },
    keyPrefix: "",
  },
  copilot: {
    version: "",
    urlPath: "",
    variables: { COPILOT_API_URL: MODEL_URL, COPILOT_GITHUB_TOKEN: MODEL_KEY },
    keyPrefix: "ghs_",
  },
};

/** The text with the agent's own address and token in the places for them. */
export function pointedTo(text: string, at: { readonly url: string; readonly token: string }): string {
  return text.replaceAll(MODEL_URL, at.url).replaceAll(MODEL_KEY, at.token);
}
