// The words of MODEL_PROVIDER: whose API it is, the protocol that the built-in agent speaks there, and the one that other
// agents do. Pure.

export const modelProviders = ["anthropic", "openai", "google", "openrouter", "openai-compatible"] as const;
export type ModelProviderName = (typeof modelProviders)[number];

/** What the built-in agent speaks: "openai" is the Responses API, "openai-compatible" Chat Completions. */
export type ModelProvider = "anthropic" | "openai" | "google" | "openai-compatible";

type ProviderFacts = {
  readonly protocol: ModelProvider;
  /** What the key proxy of an ACP agent passes on. */
  readonly agentsWire: "anthropic" | "openai-compatible" | "gemini";
  /** With the version. Null: the operator names it. */
  readonly ownBaseUrl: string | null;
};

export const providerFacts: Readonly<Record<ModelProviderName, ProviderFacts>> = {
  anthropic: {
    protocol: "anthropic",
    agentsWire: "anthropic",
    ownBaseUrl: "https://api.anthropic.com/v1",
  },
  openai: { protocol: "openai", agentsWire: "openai-compatible", ownBaseUrl: "https://api.openai.com/v1" },
  google: {
    protocol: "google",
    agentsWire: "gemini",
    ownBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
  },
  openrouter: {
    protocol: "openai-compatible",
    agentsWire: "openai-compatible",
    ownBaseUrl: "https://openrouter.ai/api/v1",
  },
  "openai-compatible": {
    protocol: "openai-compatible",
    agentsWire: "openai-compatible",
    ownBaseUrl: null,
  },
};

/** `gemini` is Google's, as Gemini CLI calls it. */
export const providerWords = [...modelProviders, "gemini"] as const;

export function providerNamed(word: (typeof providerWords)[number]): ModelProviderName {
  return word === "gemini" ? "google" : word;
}

/** Whose API is at this address. A host that nobody knows speaks Chat Completions. */
export function providerAt(baseUrl: string): ModelProviderName {
  const { hostname, pathname } = new URL(baseUrl);
  const known = modelProviders.find((name) => {
    const { ownBaseUrl } = providerFacts[name];
    return ownBaseUrl !== null && new URL(ownBaseUrl).hostname === hostname;
  });
  // Google imitates Chat Completions below an address of its own.
  const isImitated = known === "google" && /\/openai\/?$/.test(pathname);
  return known === undefined || isImitated ? "openai-compatible" : known;
}
