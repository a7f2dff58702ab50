// Anthropic's Messages and the counting of their tokens: the parts of a request that are passed on. Pure. By the types of
// @anthropic-ai/sdk 1.12.0 and by what Claude Code 2.1.318 sends, looked up on 2026-11-23.

import * as z from "zod/mini";
import {
  chosen,
  json,
  type Kept,
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

/** Without `ttl`: an hour costs more than the prices here know. */
const cache_control = z.nullish(z.object({ type: z.literal("ephemeral") }));
const { executed, fetched, stored, priced } = reasons;

const textBlock = z.object({ type: text, text, cache_control });
const base64 = z.object({ type: text, media_type: text, data: text });
const sources = { base64, text: base64 };
const why = `${fetched}; nor what it stores (file)`;
const image = z.object({
  type: text,
  source: oneOf({ what: "a source", kinds: { base64 }, why }),
  cache_control,
});
const content = textOrList(
  oneOf({ what: "a block of a document", kinds: { text: textBlock, image }, why: executed }),
);
const document = z.object({
  type: text,
  source: oneOf({ what: "a source", kinds: { ...sources, content: z.object({ type: text, content }) }, why }),
  title: optionalText,
  context: optionalText,
  citations: z.nullish(z.object({ enabled: optionalFlag })),
  cache_control,
});
const searchResult = z.object({
  type: text,
  source: text,
  title: text,
  content: z.array(textBlock),
  citations: z.nullish(z.object({ enabled: optionalFlag })),
  cache_control,
});
const toolReference = z.object({ type: text, tool_name: toolName, cache_control });
const toolResult = z.object({
  type: text,
  tool_use_id: text,
  is_error: optionalFlag,
  content: z.optional(
    textOrList(
      oneOf({
        what: "a block of a result",
        kinds: {
          text: textBlock,
          image,
          document,
          search_result: searchResult,
          tool_reference: toolReference,
        },
        why: executed,
      }),
    ),
  ),
  cache_control,
});

const toolFields = {
  cache_control,
  defer_loading: optionalFlag,
  strict: optionalFlag,
  eager_input_streaming: optionalFlag,
  input_examples: z.nullish(z.array(json)),
};
const ownTool = z.object({
  type: optionalText,
  name: toolName,
  description: optionalText,
  input_schema: json,
  ...toolFields,
});
/** Of Anthropic's own making, but executed by whoever asks. */
const clientTool = z.object({
  type: text,
  name: toolName,
  max_characters: optionalNumber,
  ...toolFields,
});
const clientTools = /^(?:bash|text_editor|memory)_\d{8}$/;

/** A tool that the agent executes. */
const tool: Kept = chosen((value) => {
  const type = z.looseObject({ type: z.nullish(z.string()) }).safeParse(value).data?.type ?? "custom";
  if (type === "custom") return ownTool;
  if (clientTools.test(type)) return clientTool;
  return `is a tool of the kind ${JSON.stringify(type)}, which is not passed on: ${executed}. Allowed: custom, bash_…, text_editor_…, memory_….`;
});

const changedTool = oneOf({
  what: "a change of a tool",
  kinds: {
    tool_reference: z.object({ type: text, name: toolName }),
    tool_definition: z.object({ type: text, definition: tool }),
  },
  why: executed,
});
const toolChange = z.object({ type: text, tool: changedTool, cache_control });

const blocks = textOrList(
  oneOf({
    what: "a block",
    kinds: {
      text: textBlock,
      image,
      document,
      search_result: searchResult,
      thinking: z.object({ type: text, thinking: text, signature: text }),
      redacted_thinking: z.object({ type: text, data: text }),
      tool_use: z.object({ type: text, id: text, name: toolName, input: json, cache_control }),
      tool_result: toolResult,
      tool_addition: toolChange,
      tool_removal: toolChange,
    },
    why: `${executed}; nor is what it has executed before`,
  }),
);

const edits = {
  clear_thinking_20251015: z.object({ type: text, keep: json }),
  clear_tool_uses_20250919: z.object({
    type: text,
    clear_at_least: json,
    clear_tool_inputs: json,
    exclude_tools: texts,
    keep: json,
    trigger: json,
  }),
};
const format = z.nullish(z.object({ type: z.literal("json_schema"), schema: json }));
const effort = z.nullish(z.object({ effort: optionalText }));

const shared = {
  model: text,
  messages: z.array(
    z.object({
      role: z.enum(["user", "assistant", "system"]),
      content: z.optional(blocks),
      clear_at: optionalText,
      output_config: effort,
    }),
  ),
  system: z.optional(
    textOrList(oneOf({ what: "a block of the instructions", kinds: { text: textBlock }, why: executed })),
  ),
  tools: z.nullish(z.array(tool)),
  tool_choice: z.nullish(
    z.object({
      type: z.enum(["auto", "any", "tool", "none"]),
      name: z.optional(toolName),
      disable_parallel_tool_use: optionalFlag,
    }),
  ),
  thinking: z.nullish(
    z.object({
      type: text,
      budget_tokens: optionalNumber,
      display: optionalText,
      block_binding: z.nullish(z.object({ prefix_mismatch_behavior: json })),
    }),
  ),
  cache_control,
  context_management: z.nullish(
    z.object({
      edits: z.nullish(z.array(oneOf({ what: "an edit", kinds: edits, why: priced }))),
    }),
  ),
  output_config: z.nullish(
    z.object({
      effort: optionalText,
      format,
      task_budget: z.nullish(z.object({ type: text, total: z.number(), remaining: optionalNumber })),
    }),
  ),
  output_format: format,
  mcp_servers: refused(executed),
  container: refused(executed),
  compaction: refused(executed),
  thread: refused(stored),
  billing_policy: refused(priced),
  user_profile_id: refused(priced),
  workspace_id: refused(priced),
  speed: refused(priced, ["standard"]),
};

const counted = z.object(shared);
const messages = z.object({
  ...shared,
  max_tokens: optionalNumber,
  metadata: z.nullish(z.object({ user_id: optionalText })),
  stop_sequences: texts,
  stream: optionalFlag,
  temperature: optionalNumber,
  top_k: optionalNumber,
  top_p: optionalNumber,
  service_tier: refused(priced, ["auto", "standard_only"]),
  inference_geo: refused(priced),
  fallbacks: refused(priced),
  fallback_credit_token: refused(priced),
});

/** The shortest thought that the API takes. */
const LEAST_THINKING_TOKENS = 1_024;

export function decodeMessages(body: unknown): DecodedRequest {
  const { model, max_tokens, thinking, ...rest } = keptOf(messages, body);
  return {
    model,
    maxOutputTokens: lengthIn(max_tokens),
    body: (sent) => ({
      ...rest,
      thinking: thinkingWithin(thinking, sent.maxOutputTokens ?? 0),
      model: sent.model,
      max_tokens: sent.maxOutputTokens,
    }),
  };
}

export function decodeCountedMessages(body: unknown): DecodedRequest {
  const { model, ...rest } = keptOf(counted, body);
  return { model, maxOutputTokens: null, body: (sent) => ({ ...rest, model: sent.model }) };
}

/** A thought is part of the answer, and has to be shorter. */
function thinkingWithin(
  thinking: z.output<typeof messages>["thinking"],
  maxTokens: number,
): z.output<typeof messages>["thinking"] {
  const budget = thinking?.budget_tokens ?? null;
  if (thinking === undefined || thinking === null || budget === null || budget < maxTokens) return thinking;
  return maxTokens > LEAST_THINKING_TOKENS
    ? { ...thinking, budget_tokens: Math.max(LEAST_THINKING_TOKENS, maxTokens - 1) }
    : { type: "disabled" };
}
