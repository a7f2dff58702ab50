// Every wording of "too long" that is known, as APIs write it, and what must not be taken for one. Looked up on 2026-11-22.

import { describe, expect, it } from "vitest";
import { readErrorBody } from "../../../../../src/service/executor/backends/model/error-body.ts";
import { readTooLong } from "../../../../../src/service/executor/backends/model/too-long.ts";

const unnumbered = { windowTokens: null, inputTokens: null };
const numbered = (windowTokens: number | null, inputTokens: number | null) => ({ windowTokens, inputTokens });

describe("an API that says that a request is too long", () => {
  it.each([
    ["Anthropic", 400, "prompt is too long: 213462 tokens > 200000 maximum", numbered(200_000, 213_462)],
    [
      "Anthropic with the answer's room",
      400,
      "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
      numbered(200_000, 178_959),
    ],
    ["Anthropic by bytes", 413, "request_too_large Request exceeds the maximum size", unnumbered],
    [
      "OpenAI",
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130112 tokens. Please reduce the length of the messages. context_length_exceeded",
      numbered(128_000, 130_112),
    ],
    [
      "OpenAI Responses",
      400,
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      unnumbered,
    ],
    [
      "OpenAI by tokens a minute",
      429,
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 40112. The input or output tokens must be reduced in order to run successfully.",
      numbered(30_000, 40_112),
    ],
    [
      "Gemini",
      400,
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
      numbered(1_048_576, 1_196_265),
    ],
    [
      "Gemini without numbers but one",
      400,
      "The input token count exceeds the maximum number of tokens allowed (1048576).",
      numbered(1_048_576, null),
    ],
    ["Bedrock", 400, "Input is too long for requested model.", unnumbered],
    ["Groq", 400, "Please reduce the length of the messages or completion.", unnumbered],
    [
      "Groq by tokens a minute",
      413,
      "Request too large for model `llama-3.3-70b-versatile` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 7012, please reduce your message size and try again.",
      numbered(6_000, 7_012),
    ],
    [
      "xAI",
      400,
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      numbered(131_072, 537_812),
    ],
    [
      "Azure AI and GitHub Models",
      413,
      "tokens_limit_reached Request body too large for gpt-4o model. Max size: 8000 tokens.",
      numbered(8_000, null),
    ],
    ["their code alone", 400, "tokens_limit_reached", unnumbered],
    [
      "OpenRouter",
      400,
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 in the output).",
      numbered(131_072, 190_000),
    ],
    [
      "Copilot",
      400,
      "prompt token count of 130112 exceeds the limit of 128000 model_max_prompt_tokens_exceeded",
      numbered(128_000, 130_112),
    ],
    [
      "vLLM",
      400,
      "This model's maximum context length is 4096 tokens. However, you requested 5048 tokens (3000 in the messages, 2048 in the completion).",
      numbered(4_096, 3_000),
    ],
    [
      "vLLM, of the answer",
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum context length is 16384 tokens and your request has 5012 input tokens (16000 > 16384 - 5012). None",
      numbered(16_384, 5_012),
    ],
    [
      "vLLM of 2026, of both, which counts no further",
      400,
      "This model's maximum context length is 16384 tokens. However, you requested 16000 output tokens and your prompt contains at least 385 input tokens, for a total of at least 16385 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
      numbered(16_384, null),
    ],
    [
      "vLLM of 2026",
      400,
      "You passed 4097 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens.",
      numbered(4_096, 4_097),
    ],
    [
      "llama.cpp",
      400,
      "request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it",
      numbered(4_096, 5_012),
    ],
    ["Ollama", 500, "prompt too long; exceeded max context length by 4 tokens", unnumbered],
    [
      "LM Studio",
      400,
      "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
      numbered(4_096, null),
    ],
    [
      "Mistral",
      400,
      "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      numbered(32_768, 65_673),
    ],
    [
      "DeepSeek, with commas",
      400,
      "This model's maximum context length is 131,072 tokens. However, you requested 131,073 tokens (130,049 in the messages, 1,024 in the completion).",
      numbered(131_072, 130_049),
    ],
    [
      "Together",
      400,
      "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
      numbered(262_144, 516_368),
    ],
    [
      "Moonshot",
      400,
      "Your request exceeded model token limit: 262144 (requested: 300000)",
      numbered(262_144, null),
    ],
    ["Alibaba", 400, "Range of input length should be [1, 129024]", numbered(129_024, null)],
    [
      "LiteLLM, by 503",
      503,
      "Requested token count exceeds the model's maximum context length of 131072 tokens.",
      numbered(131_072, null),
    ],
    ["an error within a stream", undefined, "context_length_exceeded", unnumbered],
    ["a proxy, without a word", 413, "", unnumbered],
    ["any other words", 400, "The context window is full.", unnumbered],
  ])("is understood: %s", (_of, status, text, told) => {
    expect(readTooLong(status, text)).toEqual(told);
  });

  it.each([
    ["Bedrock that throttles", 429, "Too many tokens, please wait before trying again."],
    [
      "OpenAI that throttles",
      429,
      "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 27112, Requested 5000. Please try again in 4s.",
    ],
    ["a key without access", 403, "Your key may not use the long context window."],
    ["a model that fails", 500, "context size"],
    [
      "an output limit",
      400,
      "max_tokens is too large: 16000. This model supports at most 4096 completion tokens.",
    ],
    ["nothing", undefined, ""],
  ])("is none: %s", (_of, status, text) => {
    expect(readTooLong(status, text)).toBeNull();
  });
});

describe("the body of an error", () => {
  const overloaded = "The model is overloaded.";
  it.each([
    ["OpenAI's", { error: { message: overloaded, type: "server_error", code: null } }],
    ["Anthropic's", { type: "error", error: { type: "overloaded_error", message: overloaded } }],
    ["Gemini's, an array", [{ error: { code: 503, message: overloaded, status: "UNAVAILABLE" } }]],
    ["a gateway's", { message: overloaded }],
    ["FastAPI's", { detail: overloaded }],
    ["FastAPI's list", { detail: [{ loc: ["body"], msg: overloaded, type: "value_error" }] }],
    ["Ollama's", { error: overloaded }],
    ["JSON within JSON", { error: { message: JSON.stringify({ error: { message: overloaded } }) } }],
    ["a list of errors", { errors: [{ message: overloaded }] }],
    ["a plain text", overloaded],
    ["a page", `<!DOCTYPE html><html><head><title>${overloaded}</title></head><body>x</body></html>`],
  ])("gives its words: %s", (_of, body) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    expect(readErrorBody(text).message).toBe(overloaded);
    expect(readErrorBody(body).message).toBe(overloaded);
  });

  it("gives the words of the API behind a gateway too", () => {
    const body = {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: { raw: '{"error":{"message":"prompt is too long: 213462 tokens > 200000 maximum"}}' },
      },
    };
    const read = readErrorBody(JSON.stringify(body));
    expect(read.message).toBe("Provider returned error prompt is too long: 213462 tokens > 200000 maximum");
    expect(readTooLong(400, read.text)).toEqual(numbered(200_000, 213_462));
  });

  it.each([
    [
      "Google's RetryInfo",
      {
        error: {
          code: 429,
          message: "Quota.",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }],
        },
      },
      34_000,
    ],
    [
      "Google's words",
      { error: { message: "You exceeded your current quota. Please retry in 34.074824224s." } },
      34_075,
    ],
    ["OpenAI's words", { error: { message: "Rate limit reached. Please try again in 6m0s." } }, 360_000],
    ["short ones", { error: { message: "Please try again in 20ms." } }, 20],
    ["none", { error: { message: "Please try again later." } }, undefined],
  ])("says how long to wait: %s", (_of, body, retryAfterMs) => {
    expect(readErrorBody(JSON.stringify(body)).retryAfterMs).toBe(retryAfterMs);
  });

  it("is empty where nothing is said, or what is said has another form", () => {
    for (const body of ["", "{}", "null", "[]", '{"choices":[]}', undefined]) {
      expect(readErrorBody(body).message.trim()).toBe("");
    }
  });
});
