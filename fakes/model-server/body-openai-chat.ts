// The schema of a body of OpenAI's chat completions, with what OpenRouter and DeepSeek add to it.

import * as z from "zod/mini";

export const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) })),
]);

export const chatBody = z.looseObject({
  model: z.string(),
  messages: z
    .array(
      z.discriminatedUnion("role", [
        z.looseObject({ role: z.enum(["system", "developer"]), content }),
        z.looseObject({ role: z.literal("user"), content }),
        z.looseObject({
          role: z.literal("assistant"),
          content: z.nullish(content),
          reasoning_content: z.nullish(z.string()),
          reasoning_details: z.optional(
            z.array(z.looseObject({ text: z.optional(z.string()), signature: z.nullish(z.string()) })),
          ),
          tool_calls: z.optional(
            z.array(
              z.looseObject({
                id: z.string(),
                type: z.literal("function"),
                function: z.looseObject({ name: z.string(), arguments: z.string() }),
              }),
            ),
          ),
        }),
        z.looseObject({ role: z.literal("tool"), tool_call_id: z.string(), content }),
      ]),
    )
    .check(z.minLength(1)),
  tools: z.optional(
    z.array(
      z.looseObject({
        type: z.literal("function"),
        function: z.looseObject({
          name: z.string(),
          description: z.optional(z.string()),
          parameters: z.optional(z.unknown()),
        }),
      }),
    ),
  ),
  stream: z.nullish(z.boolean()),
  max_tokens: z.nullish(z.number()),
  max_completion_tokens: z.nullish(z.number()),
  stream_options: z.nullish(z.looseObject({ include_usage: z.optional(z.boolean()) })),
});

export type ChatBody = z.infer<typeof chatBody>;

export function textOf(value: z.infer<typeof content>): string {
  return typeof value === "string" ? value : value.map(({ text = "" }) => text).join("");
}
