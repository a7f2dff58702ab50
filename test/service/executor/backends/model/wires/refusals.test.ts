// The words by which APIs refuse a request, each as its users have published it.

import { describe, expect, it } from "vitest";
import type { Body } from "../../../../../../src/service/executor/backends/model/wires/body.ts";
import {
  learnRefusal,
  refusesTools,
  withoutRefused,
} from "../../../../../../src/service/executor/backends/model/wires/refusals.ts";

const chat: Body = {
  model: "m",
  max_tokens: 16_000,
  stream_options: { include_usage: true },
  reasoning_effort: "max",
  parallel_tool_calls: true,
  tool_choice: "auto",
  messages: [
    {
      role: "developer",
      content: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    },
    { role: "assistant", content: "", reasoning_content: "Hm." },
  ],
};
const responses: Body = {
  max_output_tokens: 200_000,
  include: ["reasoning.encrypted_content"],
  reasoning: { effort: "xhigh", summary: "auto" },
  prompt_cache_key: "run-1",
};
const anthropic: Body = {
  max_tokens: 32_000,
  thinking: { type: "adaptive" },
  output_config: { effort: "high" },
  messages: [],
};
const google: Body = {
  generationConfig: {
    maxOutputTokens: 16_000,
    thinkingConfig: { includeThoughts: true, thinkingLevel: "high" },
  },
};

describe("a refusal", () => {
  it.each<[string, Body, string, object]>([
    [
      "OpenAI",
      chat,
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { type: "rename", path: "max_tokens", to: "max_completion_tokens" },
    ],
    ["OpenAI", chat, "Unknown parameter: 'stream_options'.", { type: "drop", path: "stream_options" }],
    [
      "Azure",
      chat,
      "Unrecognized request argument supplied: parallel_tool_calls",
      { type: "drop", path: "parallel_tool_calls" },
    ],
    [
      "Azure",
      chat,
      "Validation error at #/stream_options: Extra inputs are not permitted",
      { type: "drop", path: "stream_options" },
    ],
    [
      "Fireworks",
      chat,
      "Extra inputs are not permitted, field: 'stream_options'",
      { type: "drop", path: "stream_options" },
    ],
    [
      "OpenRouter",
      chat,
      "No endpoints found that support the provided 'tool_choice' value. It is not supported.",
      { type: "drop", path: "tool_choice" },
    ],
    [
      "vLLM",
      chat,
      "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {'include_usage': True}}]",
      { type: "drop", path: "stream_options" },
    ],
    [
      "vLLM",
      { ...responses, max_completion_tokens: 800 },
      "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', 'input': 800}]",
      { type: "rename", path: "max_completion_tokens", to: "max_tokens" },
    ],
    [
      "Groq",
      chat,
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
      { type: "drop-everywhere", field: "reasoning_content" },
    ],
    [
      "Groq",
      chat,
      "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than it",
      { type: "limit", path: "max_tokens", most: 8_192 },
    ],
    [
      "xAI",
      chat,
      "Model grok-4-latest does not support parameter reasoningEffort.",
      { type: "drop", path: "reasoning_effort" },
    ],
    [
      "Alibaba",
      chat,
      "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'",
      { type: "developer-role" },
    ],
    [
      "Alibaba",
      chat,
      "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
      { type: "limit", path: "max_tokens", most: 8_192 },
    ],
    [
      "DeepSeek",
      chat,
      "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
      { type: "limit", path: "max_tokens", most: 8_192 },
    ],
    [
      "OpenAI",
      chat,
      "max_tokens is too large: 16000. This model supports at most 4096 completion tokens, whereas you provided 16000.",
      { type: "limit", path: "max_tokens", most: 4_096 },
    ],
    [
      "Bedrock",
      chat,
      "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
      { type: "limit", path: "max_tokens", most: 4_096 },
    ],
    [
      "OpenAI",
      responses,
      "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 128000, but got 200000 instead.",
      { type: "limit", path: "max_output_tokens", most: 128_000 },
    ],
    [
      "OpenAI",
      responses,
      "Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general",
      { type: "drop", path: "reasoning.summary" },
    ],
    [
      "OpenAI",
      responses,
      "Encrypted content is not supported with this model.",
      { type: "drop", path: "include" },
    ],
    [
      "OpenAI",
      responses,
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      { type: "drop", path: "reasoning.effort" },
    ],
    [
      "OpenAI",
      responses,
      "Unsupported value: 'reasoning.effort' does not support 'xhigh' with this model. Supported values are: 'minimal', 'low', 'medium', and 'high'.",
      { type: "replace", path: "reasoning.effort", value: "high" },
    ],
    [
      "Anthropic",
      anthropic,
      "max_tokens: 21333 > 4096, which is the maximum allowed number of output tokens for claude-3-opus-20240229",
      { type: "limit", path: "max_tokens", most: 4_096 },
    ],
    [
      "Anthropic",
      anthropic,
      "adaptive thinking is not supported on this model",
      { type: "drop", path: "thinking" },
    ],
    [
      "Anthropic",
      anthropic,
      "This model does not support the effort parameter.",
      { type: "drop", path: "output_config" },
    ],
    [
      "Anthropic",
      chat,
      "system.1.cache_control: Extra inputs are not permitted",
      { type: "drop-everywhere", field: "cache_control" },
    ],
    [
      "Google",
      google,
      "Thinking level is not supported for this model.",
      { type: "drop", path: "generationConfig.thinkingConfig.thinkingLevel" },
    ],
    [
      "Google",
      google,
      "Thinking is not enabled for models/gemini-2.0-flash",
      { type: "drop", path: "generationConfig.thinkingConfig" },
    ],
    [
      "Google",
      google,
      "Unable to submit request because it has a maxOutputTokens value of 16000 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
      { type: "limit", path: "generationConfig.maxOutputTokens", most: 8_192 },
    ],
  ])("by %s is learned (%#)", (_, sent, text, refusal) => {
    const learned = learnRefusal(text, sent);
    expect(learned).toEqual(refusal);
    if (learned === null) return;
    const next = withoutRefused(sent, learned);
    expect(next).not.toEqual(sent);
    // It is not learned twice.
    expect(learnRefusal(text, next)).not.toEqual(learned);
  });

  it.each([
    "This model's maximum context length is 8192 tokens. However, you requested 16256 tokens.",
    "'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum context length is 16384 tokens and your request has 5000 input tokens.",
    "Invalid API key.",
    "messages: at least one message is required",
    "Unsupported parameter: 'top_p' is not supported with this model.",
  ])("of something else teaches nothing: %s", (text) => {
    expect(learnRefusal(text, chat)).toBeNull();
  });

  it.each([
    'No endpoints found that support tool use. Try disabling "question".',
    "registry.ollama.ai/library/gemma:7b does not support tools",
    "`tool calling` is not supported with this model",
    "Function calling is not enabled for models/gemma-3-27b-it",
    "This model doesn't support tool use in streaming mode.",
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "tools param requires --jinja flag",
  ])("of tools is known: %s", (text) => {
    expect(refusesTools(text)).toBe(true);
    expect(learnRefusal(text, chat)).toBeNull();
  });
});
