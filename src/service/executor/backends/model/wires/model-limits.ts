// How much the models of today take in one request, and how long their answers may be. Pure.
// By the providers' pages as github.com/anomalyco/models.dev collects them (2026-07-02) and by the catalogs of the AI SDK's
// providers (2026-11), looked up on 2026-11-22. Servers of one's own may be started with less: their settings win.

export type Limits = {
  /** Tokens of a request, its answer included. */
  readonly contextTokens: number;
  /** Tokens of one answer. */
  readonly maxOutputTokens: number;
};

/** Longer requests cost more a token at several providers, and models overlook more in them. */
const MOST_CONTEXT_TOKENS = 200_000;
/** Its price is held before each request. */
const MOST_OUTPUT_TOKENS = 32_000;

/** By the beginning of the model's name; the longest one that fits counts. */
const limits: Readonly<Record<string, readonly [contextTokens: number, maxOutputTokens: number]>> = {
  "claude-": [200_000, 64_000],
  "claude-2": [100_000, 4_096],
  "claude-3-": [200_000, 4_096],
  "claude-3-5": [200_000, 8_192],
  "claude-3-7": [200_000, 64_000],
  "claude-opus-4": [200_000, 32_000],
  "claude-opus-4-5": [200_000, 64_000],
  "claude-opus-4-6": [1_000_000, 128_000],
  "claude-opus-4-7": [1_000_000, 128_000],
  "claude-opus-4-8": [1_000_000, 128_000],
  "claude-sonnet-4-6": [1_000_000, 64_000],
  "claude-sonnet-5": [1_000_000, 128_000],
  "claude-fable-5": [1_000_000, 128_000],
  "gpt-3.5": [16_385, 4_096],
  "gpt-4": [8_192, 8_192],
  "gpt-4-turbo": [128_000, 4_096],
  "gpt-4o": [128_000, 16_384],
  "gpt-4o-2024-05-13": [128_000, 4_096],
  "gpt-4.1": [1_047_576, 32_768],
  "gpt-5": [400_000, 128_000],
  "gpt-5.1-chat": [128_000, 16_384],
  "gpt-5.2-chat": [128_000, 16_384],
  "gpt-5.3-chat": [128_000, 16_384],
  "gpt-5.3-codex-spark": [128_000, 32_000],
  // No page with its limits was found: those of gpt-5.
  "gpt-6": [400_000, 128_000],
  "gpt-oss": [131_072, 32_768],
  o1: [200_000, 100_000],
  o3: [200_000, 100_000],
  "o4-mini": [200_000, 100_000],
  "gemini-": [1_048_576, 65_536],
  "gemini-2.0": [1_048_576, 8_192],
  "gemma-4": [262_144, 32_768],
  "codestral-": [256_000, 4_096],
  "deepseek-": [128_000, 32_768],
  "deepseek-chat": [1_000_000, 384_000],
  "deepseek-reasoner": [1_000_000, 384_000],
  "deepseek-v4": [1_000_000, 384_000],
  "devstral-": [128_000, 32_000],
  "glm-4.5": [131_072, 98_304],
  "glm-4.5v": [64_000, 16_384],
  "glm-4.6": [204_800, 131_072],
  "glm-4.6v": [128_000, 32_768],
  "glm-4.7": [200_000, 131_072],
  "glm-5": [200_000, 131_072],
  "grok-4": [256_000, 30_000],
  "kimi-k2": [131_072, 16_384],
  "kimi-k2-thinking": [262_144, 262_144],
  "kimi-k2.": [262_144, 262_144],
  "llama-3.1": [128_000, 4_096],
  "llama-3.3": [128_000, 4_096],
  "llama-4": [128_000, 4_096],
  "minimax-m2": [196_608, 128_000],
  "minimax-m3": [512_000, 128_000],
  "mistral-large": [131_072, 16_384],
  "mistral-medium": [131_072, 131_072],
  "mistral-small": [128_000, 16_384],
  "qwen3-": [40_960, 16_384],
  "qwen3-coder": [262_144, 65_536],
  "qwen3-next": [262_144, 65_536],
  "qwen3.5": [262_144, 32_768],
};

const names = Object.keys(limits).toSorted((one, other) => other.length - one.length);

/** What a run uses of a model where its operator says nothing. Null: the model is not known here. */
export function limitsOfModel(modelId: string): Limits | null {
  const name = plainName(modelId);
  const known = limits[names.find((start) => name.startsWith(start)) ?? ""];
  if (known === undefined) return null;
  const [contextTokens, maxOutputTokens] = known;
  return {
    contextTokens: Math.min(contextTokens, MOST_CONTEXT_TOKENS),
    maxOutputTokens: Math.min(maxOutputTokens, MOST_OUTPUT_TOKENS, contextTokens / 2),
  };
}

/** Without what gateways write before it: `anthropic/claude-…`, `us.anthropic.claude-…`. */
function plainName(modelId: string): string {
  const name = modelId.toLowerCase().slice(modelId.lastIndexOf("/") + 1);
  const at = name.lastIndexOf("anthropic.");
  return at < 0 ? name : name.slice(at + "anthropic.".length);
}
