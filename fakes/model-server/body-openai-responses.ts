// The schema of a body of OpenAI's responses. https://platform.openai.com/docs/api-reference/responses/create

import * as z from "zod/mini";

export const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) })),
]);

const items = z.array(
  z.union([
    z.looseObject({
      type: z.literal("function_call"),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
    }),
    z.looseObject({ type: z.literal("function_call_output"), call_id: z.string(), output: content }),
    z.looseObject({
      type: z.literal("custom_tool_call"),
      call_id: z.string(),
      name: z.string(),
      input: z.string(),
    }),
    z.looseObject({ type: z.literal("custom_tool_call_output"), call_id: z.string(), output: content }),
    z.looseObject({
      type: z.literal("reasoning"),
      id: z.optional(z.string()),
      summary: z.array(z.looseObject({ text: z.string() })),
      encrypted_content: z.nullish(z.string()),
    }),
    z.looseObject({
      type: z._default(z.literal("message"), "message"),
      id: z.optional(z.string()),
      role: z.enum(["system", "developer", "user", "assistant"]),
      content,
    }),
  ]),
);

export const responsesBody = z.looseObject({
  model: z.string(),
  instructions: z.nullish(z.string()),
  input: z.union([z.string(), items]),
  tools: z.optional(
    z.array(
      z.looseObject({
        type: z.string(),
        name: z.optional(z.string()),
        description: z.nullish(z.string()),
        parameters: z.optional(z.unknown()),
      }),
    ),
  ),
  store: z.nullish(z.boolean()),
  stream: z.nullish(z.boolean()),
  max_output_tokens: z.nullish(z.number()),
});

export type Item = z.infer<typeof items>[number];

/** A text alone is one message of the user. */
export function itemsOf({ input }: z.infer<typeof responsesBody>): readonly Item[] {
  return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
}
