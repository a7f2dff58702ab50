// Errors of APIs that find a request too long for a model, and what they say of its window. Pure. No API has a status of its own
// for it, and few have a code: their words are matched. Collected on 2026-11-22 from public repositories and issue threads, most
// of them not seen from the API itself.

/** The window and the request by the words of an API; null where it names no number. In tokens. */
export type TooLong = {
  readonly windowTokens: number | null;
  /** The API's count of the input. */
  readonly inputTokens: number | null;
};

type Wording = { readonly of: string; readonly pattern: RegExp };

/** Each names the window as `window` where the words do, and the input as `input`. */
const wordings: readonly Wording[] = [
  {
    of: "Anthropic, docs.anthropic.com/en/api/errors; anthropics/claude-code issues",
    pattern: /prompt is too long(?:: (?<input>\d{1,9}) tokens > (?<window>\d{1,9}) maximum)?/i,
  },
  {
    of: "Anthropic, docker/docker-agent issue 569: the input with room for the answer",
    pattern:
      /input length and `?max_tokens`? exceed context limit(?:: (?<input>\d{1,9}) ?\+ ?\d{1,9} ?> ?(?<window>\d{1,9}))?/i,
  },
  { of: "Anthropic, 413: more bytes than it takes", pattern: /request_too_large/i },
  {
    of: "OpenAI Chat Completions, DeepSeek, OpenRouter, vLLM, Together",
    pattern: /maximum context length (?:is|of) (?<window>\d{1,9}) tokens/i,
  },
  { of: "OpenAI's code, also Azure's and Groq's", pattern: /context_length_exceeded/i },
  { of: "OpenAI Responses", pattern: /exceeds the context window of this model/i },
  {
    of: "OpenAI and Groq: more in one request than an account may send in a minute",
    pattern: /request too large for [\s\S]{0,200}?limit (?<window>\d{1,9}), requested (?<input>\d{1,9})/i,
  },
  {
    of: "Google, generativelanguage.googleapis.com",
    pattern:
      /input token count(?: \((?<input>\d{1,9})\))? exceeds the maximum number of tokens allowed(?: \((?<window>\d{1,9})\))?/i,
  },
  { of: "Amazon Bedrock", pattern: /input is too long for requested model/i },
  { of: "Groq", pattern: /reduce the length of the messages/i },
  {
    of: "xAI",
    pattern:
      /maximum prompt length is (?<window>\d{1,9})(?: but the request contains (?<input>\d{1,9}) tokens)?/i,
  },
  {
    of: "GitHub Models and Azure AI, eslint/tsc-meetings pull request 593",
    pattern: /request body too large for [\s\S]{0,200}?max size: (?<window>\d{1,9}) tokens/i,
  },
  { of: "GitHub Models' code", pattern: /tokens_limit_reached/i },
  {
    of: "GitHub Copilot",
    pattern: /prompt token count of (?<input>\d{1,9}) exceeds the limit of (?<window>\d{1,9})/i,
  },
  {
    of: "vLLM",
    pattern: /(?:context length is only|longer than the maximum model length of) (?<window>\d{1,9})/i,
  },
  {
    of: "SGLang, LiteLLM",
    pattern:
      /input length \((?<input>\d{1,9})(?: tokens)?\) exceeds (?:the )?model'?s maximum context length \((?<window>\d{1,9})/i,
  },
  { of: "LiteLLM", pattern: /exceeds (?:the )?model'?s maximum context length/i },
  {
    of: "Together",
    pattern:
      /input \((?<input>\d{1,9}) tokens\) is longer than the model'?s context length \((?<window>\d{1,9})/i,
  },
  {
    of: "Poolside",
    pattern: /input length (?<input>\d{1,9}) exceeds the maximum allowed input length of (?<window>\d{1,9})/i,
  },
  {
    of: "llama.cpp, tools/server",
    pattern:
      /(?:request \((?<input>\d{1,9}) tokens\) )?exceeds the available context size(?: \((?<window>\d{1,9}) tokens\))?/i,
  },
  { of: "Ollama", pattern: /prompt too long; exceeded (?:max )?context length/i },
  { of: "Ollama", pattern: /input length exceeds the context length/i },
  {
    of: "LM Studio, lmstudio-ai/lmstudio-bug-tracker issues 237 and 546",
    pattern: /loaded with context length of only (?<window>\d{1,9}) tokens/i,
  },
  { of: "LM Studio", pattern: /greater than the context length/i },
  {
    of: "Mistral",
    pattern:
      /prompt contains (?<input>\d{1,9}) tokens[\s\S]{0,60}?too large for model with (?<window>\d{1,9}) maximum context length/i,
  },
  { of: "Moonshot", pattern: /exceeded model token limit(?:: (?<window>\d{1,9}))?/i },
  { of: "MiniMax", pattern: /context window exceeds limit/i },
  { of: "Z.ai", pattern: /prompt exceeds max length|model_context_window_exceeded/i },
  { of: "Alibaba", pattern: /range of input length should be \[\d{1,3}, ?(?<window>\d{1,9})\]/i },
  { of: "Text Generation Inference", pattern: /max_new_tokens`? must be <= (?<window>\d{1,9})/i },
];

/** Wordings of the input's length, where the words of the window do not say it. */
const inputWordings: readonly RegExp[] = [
  // vLLM stops counting where a prompt is too long: "at least 12385 input tokens" says nothing of it.
  /(?<!at least )\b(?<input>\d{1,9}) (?:in the messages|of text input|input tokens|`inputs` tokens)/i,
  /(?:messages resulted in|request contains) (?<input>\d{1,9}) tokens/i,
];

/** Of clients' errors alone: a server that throttles says the same. */
const vague = /context (?:length|window|size)|too many (?:input )?tokens|token limit exceeded/i;

/** These say something else, whatever words are in them. */
const otherStatuses: readonly number[] = [401, 402, 403, 404];

/** The window by the words of the error, or null where the error is another. `status` is undefined for an error within a stream. */
export function readTooLong(status: number | undefined, text: string): TooLong | null {
  if (status !== undefined && otherStatuses.includes(status)) return null;
  // Some write 131,072.
  const plain = text.replace(/(\d),(?=\d{3}(?!\d))/g, "$1");
  if (status === 429) return tooLargeForAMinute(plain);
  for (const { pattern } of wordings) {
    const match = pattern.exec(plain);
    if (match !== null) {
      const { window, input } = match.groups ?? {};
      return { windowTokens: numberOf(window), inputTokens: numberOf(input) ?? inputIn(plain) };
    }
  }
  const isVaguelySo = (status === 400 || status === 422) && vague.test(plain);
  return status === 413 || isVaguelySo ? { windowTokens: null, inputTokens: null } : null;
}

/** Of a request that no waiting makes possible. */
function tooLargeForAMinute(text: string): TooLong | null {
  const match =
    /request too large for [\s\S]{0,200}?limit (?<window>\d{1,9}), requested (?<input>\d{1,9})/i.exec(text);
  const window = numberOf(match?.groups?.window);
  const input = numberOf(match?.groups?.input);
  return window !== null && input !== null && input > window
    ? { windowTokens: window, inputTokens: input }
    : null;
}

function inputIn(text: string): number | null {
  for (const pattern of inputWordings) {
    const found = numberOf(pattern.exec(text)?.groups?.input);
    if (found !== null) return found;
  }
  return null;
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}
