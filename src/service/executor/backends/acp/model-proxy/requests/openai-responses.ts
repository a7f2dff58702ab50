// OpenAI's Responses: the parts of a request that are passed on. Pure. By the types of openai 6.49.0 and by what Codex 0.166.0
// sends, looked up on 2026-11-23.

import * as z from "zod/mini";
import {
  json,
  optionalFlag,
  optionalNumber,
  optionalText,
  reasons,
  refused,
  text,
  textOrList,
  texts,
} from "./kept.ts";
import { type DecodedRequest, keptOf, lengthIn } from "./model-request.ts";
import { item, tool } from "./responses-items.ts";

const { executed, stored, priced, kept } = reasons;

/** The rest is what a provider has looked up or executed. */
const included: ReadonlySet<string> = new Set([
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
]);

const request = z.object({
  model: text,
  input: z.optional(textOrList(item)),
  instructions: optionalText,
  tools: z.nullish(z.array(tool)),
  tool_choice: json,
  parallel_tool_calls: optionalFlag,
  max_output_tokens: optionalNumber,
  reasoning: z.nullish(
    z.object({ effort: optionalText, summary: optionalText, generate_summary: optionalText }),
  ),
  text: z.nullish(z.object({ format: json, verbosity: optionalText })),
  include: texts,
  stream: optionalFlag,
  stream_options: z.nullish(z.object({ include_obfuscation: optionalFlag })),
  temperature: optionalNumber,
  top_p: optionalNumber,
  top_logprobs: optionalNumber,
  truncation: optionalText,
  prompt_cache_key: optionalText,
  safety_identifier: optionalText,
  user: optionalText,
  background: refused(kept, [false]),
  store: refused(kept, [false]),
  conversation: refused(stored),
  previous_response_id: refused(stored),
  prompt: refused(stored),
  service_tier: refused(priced, ["auto", "default"]),
  context_management: refused(priced),
  // Of servers other than OpenAI's.
  plugins: refused(executed),
  search_parameters: refused(executed),
  mcp_servers: refused(executed),
  models: refused(priced),
});

/** Nothing is stored: that is the API's default where a request does not say. */
export function decodeResponses(body: unknown): DecodedRequest {
  const { model, max_output_tokens, include, ...rest } = keptOf(request, body);
  return {
    model,
    maxOutputTokens: lengthIn(max_output_tokens),
    body: (sent) => ({
      ...rest,
      model: sent.model,
      max_output_tokens: sent.maxOutputTokens,
      store: false,
      ...(include === undefined || include === null
        ? {}
        : { include: include.filter((name) => included.has(name)) }),
    }),
  };
}
