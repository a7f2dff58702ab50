// OpenAI's Chat Completions, and fields of servers that imitate them: the parts of a request that are passed on. Pure. By the
// types of openai 6.49.0 and by what opencode 1.18.33 sends, looked up on 2026-11-23.

import * as z from "zod/mini";
import {
  dataUrl,
  json,
  oneOf,
  optionalFlag,
  optionalNumber,
  optionalText,
  reasons,
  refused,
  text,
  textOrList,
  texts,
  toolName,
} from "./kept.ts";
import { type DecodedRequest, keptOf, lengthIn } from "./model-request.ts";

const { executed, fetched, stored, priced, kept } = reasons;
/** Of gateways to Anthropic. */
const cache_control = z.nullish(z.object({ type: z.literal("ephemeral") }));

const parts = {
  text: z.object({ type: text, text, cache_control }),
  refusal: z.object({ type: text, refusal: text }),
  image_url: z.object({
    type: text,
    image_url: z.object({ url: dataUrl, detail: optionalText }),
    cache_control,
  }),
  input_audio: z.object({ type: text, input_audio: z.object({ data: text, format: text }) }),
  file: z.object({
    type: text,
    file: z.object({
      file_data: z.nullish(dataUrl),
      filename: optionalText,
      file_id: refused(stored),
      file_url: refused(fetched),
    }),
  }),
};
const content = z.nullish(textOrList(oneOf({ what: "a part of a message", kinds: parts, why: fetched })));

const called = z.object({ name: toolName, arguments: optionalText });
const toolCall = {
  id: optionalText,
  index: optionalNumber,
  type: optionalText,
  // The signature of a thought, of Google's imitation.
  extra_content: z.nullish(z.object({ google: z.nullish(z.object({ thought_signature: optionalText })) })),
};
const toolCalls = z.nullish(
  z.array(
    oneOf({
      what: "a tool call",
      kinds: {
        function: z.object({ ...toolCall, function: called }),
        custom: z.object({ ...toolCall, custom: z.object({ name: toolName, input: optionalText }) }),
      },
      fallback: "function",
      why: executed,
    }),
  ),
);

const message = z.object({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content,
  name: optionalText,
  refusal: optionalText,
  tool_calls: toolCalls,
  function_call: z.nullish(called),
  tool_call_id: optionalText,
  // Thoughts, as several servers want them back.
  reasoning: optionalText,
  reasoning_content: optionalText,
  reasoning_details: z.nullish(z.array(json)),
  audio: refused(stored),
});

const declared = z.object({
  name: toolName,
  description: optionalText,
  parameters: json,
  strict: optionalFlag,
});
const tool = oneOf({
  what: "a tool",
  kinds: {
    function: z.object({ type: text, function: declared, cache_control }),
    custom: z.object({
      type: text,
      custom: z.object({ name: toolName, description: optionalText, format: json }),
    }),
  },
  why: executed,
});

const request = z.object({
  model: text,
  messages: z.array(message),
  tools: z.nullish(z.array(tool)),
  functions: z.nullish(z.array(declared)),
  function_call: json,
  tool_choice: json,
  parallel_tool_calls: optionalFlag,
  max_tokens: optionalNumber,
  max_completion_tokens: optionalNumber,
  n: json,
  stream: optionalFlag,
  response_format: json,
  reasoning_effort: optionalText,
  verbosity: optionalText,
  temperature: optionalNumber,
  top_p: optionalNumber,
  top_k: optionalNumber,
  min_p: optionalNumber,
  frequency_penalty: optionalNumber,
  presence_penalty: optionalNumber,
  repetition_penalty: optionalNumber,
  logit_bias: json,
  logprobs: optionalFlag,
  top_logprobs: optionalNumber,
  seed: optionalNumber,
  stop: json,
  user: optionalText,
  safety_identifier: optionalText,
  prompt_cache_key: optionalText,
  // How servers other than OpenAI's are told to think.
  reasoning: z.nullish(
    z.object({
      effort: optionalText,
      max_tokens: optionalNumber,
      enabled: optionalFlag,
      exclude: optionalFlag,
    }),
  ),
  thinking: z.nullish(z.object({ type: text, budget_tokens: optionalNumber, clear_thinking: optionalFlag })),
  enable_thinking: optionalFlag,
  thinking_budget: optionalNumber,
  chat_template_kwargs: json,
  service_tier: refused(priced, ["auto", "default"]),
  store: refused(kept, [false]),
  web_search_options: refused(executed),
  // Of xAI, Alibaba, OpenRouter and Google.
  search_parameters: refused(executed),
  enable_search: refused(executed, [false]),
  plugins: refused(executed),
  models: refused(priced),
  preset: refused(stored),
  extra_body: refused(priced),
  modalities: refused(priced),
  audio: refused(priced),
  prediction: refused(priced),
  mcp_servers: refused(executed),
  stop_sequences: texts,
});

/** The length is written by the name that the agent's client has for it; `max_tokens` where it has none. */
export function decodeChat(body: unknown): DecodedRequest {
  const { model, max_tokens, max_completion_tokens, n, stream, ...rest } = keptOf(request, body);
  const isNew = lengthIn(max_completion_tokens) !== null;
  return {
    model,
    maxOutputTokens: lengthIn(max_completion_tokens, max_tokens),
    body: (sent) => ({
      ...rest,
      model: sent.model,
      [isNew ? "max_completion_tokens" : "max_tokens"]: sent.maxOutputTokens,
      ...(n === undefined || n === null ? {} : { n: 1 }),
      ...(stream === true ? { stream, stream_options: { include_usage: true } } : {}),
    }),
  };
}
