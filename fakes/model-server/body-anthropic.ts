// The schema of a body of Anthropic's messages. https://platform.claude.com/docs/en/api/messages

import * as z from "zod/mini";

export const text = z.looseObject({ type: z.literal("text"), text: z.string() });

const blocks = z.array(
  z.union([
    text,
    z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
    z.looseObject({
      type: z.literal("tool_use"),
      id: z.string(),
      name: z.string(),
      input: z.record(z.string(), z.unknown()),
    }),
    z.looseObject({
      type: z.literal("tool_result"),
      tool_use_id: z.string(),
      content: z.optional(
        z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) }))]),
      ),
      is_error: z.optional(z.boolean()),
    }),
    z.looseObject({ type: z.enum(["image", "document", "redacted_thinking"]) }),
  ]),
);

export const messagesBody = z.looseObject({
  model: z.string(),
  max_tokens: z.int().check(z.positive()),
  system: z.optional(z.union([z.string(), z.array(text)])),
  messages: z
    .array(
      z.looseObject({
        // Newer models take instructions between the turns, too; Claude Code sends them.
        role: z.enum(["user", "assistant", "system"]),
        content: z.union([z.string(), blocks]),
      }),
    )
    .check(z.minLength(1)),
  tools: z.optional(
    z.array(
      z.looseObject({
        name: z.string(),
        description: z.optional(z.string()),
        input_schema: z.optional(z.unknown()),
      }),
    ),
  ),
  thinking: z.optional(z.looseObject({ type: z.string() })),
  stream: z.optional(z.boolean()),
});

export type Block = z.infer<typeof blocks>[number];
export type Sent = z.infer<typeof messagesBody>["messages"][number];

export function isBlock<Type extends Block["type"]>(
  block: Block,
  type: Type,
): block is Extract<Block, { type: Type }> {
  return block.type === type;
}

/** A text alone is one block. */
export function blocksOf({ content }: Sent): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
