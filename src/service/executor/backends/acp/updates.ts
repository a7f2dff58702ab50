// Decodes ACP's session/update, as far as we show it. Unknown updates are
// ignored, so that a newer agent works. https://agentclientprotocol.com/protocol/v1/schema

import * as z from "zod/mini";

const text = z.optional(z.nullable(z.string()));

/** Any block; `textOf` reads it. */
const contentBlockSchema = z.looseObject({ type: z.string() });
export type ContentBlock = z.infer<typeof contentBlockSchema>;

const toolContentSchema = z.union([
  z.object({ type: z.literal("content"), content: contentBlockSchema }),
  z.object({
    type: z.literal("diff"),
    path: z.string(),
    oldText: text,
    newText: z.string(),
  }),
  z.looseObject({ type: z.string() }),
]);
export type ToolContent = z.infer<typeof toolContentSchema>;

const toolFields = {
  toolCallId: z.string(),
  title: text,
  name: text,
  kind: text,
  status: text,
  content: z.optional(z.nullable(z.array(toolContentSchema))),
  locations: z.optional(
    z.nullable(z.array(z.object({ path: z.string(), line: z.optional(z.nullable(z.number())) }))),
  ),
  rawInput: z.optional(z.unknown()),
  rawOutput: z.optional(z.unknown()),
  _meta: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
};

/** The fields of a tool call in one message; missing ones are unchanged. */
export const toolUpdateSchema = z.object(toolFields);
export type ToolUpdate = z.infer<typeof toolUpdateSchema>;

const outputChunkSchema = z.object({ data: z.string() });

/**
 * A piece of a command's output, which codex-acp sends so and nowhere else: to append, or of a terminal (Zed's convention). Empty where
 * there is none. https://github.com/agentclientprotocol/codex-acp, looked up on 2026-11-27.
 */
export function outputChunkOf({ _meta }: ToolUpdate): string {
  const chunk = outputChunkSchema.safeParse(_meta?.terminal_output_delta ?? _meta?.terminal_output);
  return chunk.success ? chunk.data.data : "";
}

const claudesMetaSchema = z.object({ claudeCode: z.object({ toolName: z.string() }) });

/** The tool's own name, which Claude Code says so beside the title. Null where there is none. */
export function toolNameOf({ _meta }: ToolUpdate): string | null {
  const meta = claudesMetaSchema.safeParse(_meta);
  return meta.success ? meta.data.claudeCode.toolName : null;
}

const chunkFields = { content: contentBlockSchema, messageId: text };

const updateSchema = z.discriminatedUnion("sessionUpdate", [
  z.object({ sessionUpdate: z.literal("agent_message_chunk"), ...chunkFields }),
  z.object({ sessionUpdate: z.literal("agent_thought_chunk"), ...chunkFields }),
  z.object({ sessionUpdate: z.literal("tool_call"), ...toolFields }),
  z.object({ sessionUpdate: z.literal("tool_call_update"), ...toolFields }),
  z.object({
    sessionUpdate: z.literal("plan"),
    entries: z.array(z.object({ content: z.string(), status: z.string() })),
  }),
  z.object({
    sessionUpdate: z.literal("usage_update"),
    used: z.number(),
    cost: z.optional(z.nullable(z.object({ amount: z.number(), currency: z.string() }))),
  }),
]);
export type Update = z.infer<typeof updateSchema>;
export type PlanEntry = Extract<Update, { sessionUpdate: "plan" }>["entries"][number];
export type UsageUpdate = Extract<Update, { sessionUpdate: "usage_update" }>;

const notificationSchema = z.object({ update: updateSchema });

/** Null for an unknown update. Never throws. */
export function decodeUpdate(params: unknown): Update | null {
  const parsed = notificationSchema.safeParse(params);
  return parsed.success ? parsed.data.update : null;
}

/** The end of a turn. Token counts are no part of the stable protocol; agents send them under two names. */
export const promptAnswerSchema = z.object({
  stopReason: z.string(),
  usage: z.optional(z.nullable(z.looseObject({ totalTokens: z.optional(z.number()) }))),
  _meta: z.optional(z.unknown()),
});
export type PromptAnswer = z.infer<typeof promptAnswerSchema>;

/** A block as text; other kinds are named. */
export function textOf(block: ContentBlock): string {
  const { type, text: said, uri, name, resource } = block;
  if (type === "text") return typeof said === "string" ? said : "";
  if (type === "resource_link") return `[${String(name ?? "resource")}](${String(uri ?? "")})`;
  if (type === "resource" && typeof resource === "object" && resource !== null) {
    if ("text" in resource && typeof resource.text === "string") return resource.text;
  }
  return `[${type}]`;
}
