// The tools and the items of OpenAI's Responses that are passed on: what the agent executes, says and has been told. Pure.
// By the types of openai 6.49.0 and by what Codex 0.166.0 sends, looked up on 2026-11-23.

import * as z from "zod/mini";
import {
  dataUrl,
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
  toolName,
} from "./kept.ts";

const { executed, fetched, stored } = reasons;

const named = { type: text, name: toolName, description: optionalText, defer_loading: optionalFlag };
const functionTool = z.object({
  ...named,
  parameters: json,
  strict: optionalFlag,
  output_schema: json,
});
const format = z.nullish(z.object({ type: text, syntax: optionalText, definition: optionalText }));
const customTool = z.object({ ...named, format });
/** Without a word on where, a provider may take a container of its own. */
const here = z._default(
  z.object({
    type: z.literal("local", `must be "local": ${executed}.`),
  }),
  { type: "local" },
);

const namespaced = oneOf({
  what: "a tool of a namespace",
  kinds: { function: functionTool, custom: customTool },
  why: executed,
});

export const tool: Kept = oneOf({
  what: "a tool",
  kinds: {
    function: functionTool,
    custom: customTool,
    namespace: z.object({ ...named, tools: z.array(namespaced) }),
    local_shell: z.object({ type: text }),
    shell: z.object({ type: text, environment: here }),
    apply_patch: z.object({ type: text }),
    tool_search: z.object({
      type: text,
      execution: z.literal("client", `must be "client": ${executed}.`),
      description: optionalText,
      parameters: json,
    }),
  },
  why: executed,
});

const parts = {
  input_text: z.object({ type: text, text }),
  output_text: z.object({
    type: text,
    text,
    // Of pages and files that a provider had looked up.
    annotations: z.pipe(
      z.optional(json),
      z.transform(() => []),
    ),
  }),
  text: z.object({ type: text, text }),
  summary_text: z.object({ type: text, text }),
  reasoning_text: z.object({ type: text, text }),
  refusal: z.object({ type: text, refusal: text }),
  input_image: z.object({
    type: text,
    detail: optionalText,
    image_url: z.nullish(dataUrl),
    file_id: refused(stored),
  }),
  input_file: z.object({
    type: text,
    detail: optionalText,
    filename: optionalText,
    file_data: optionalText,
    file_url: refused(fetched),
    file_id: refused(stored),
  }),
  input_audio: z.object({ type: text, input_audio: z.object({ data: text, format: text }) }),
};
const content = textOrList(oneOf({ what: "a part of an item", kinds: parts, why: fetched }));

const id = optionalText;
const status = optionalText;
const call = { type: text, id, status, call_id: text };
const output = { ...call, output: content };
const search = { type: text, id, status, call_id: optionalText, execution: z.optional(z.literal("client")) };

export const item: Kept = oneOf({
  what: "an item",
  kinds: {
    message: z.object({ type: optionalText, id, status, role: text, phase: optionalText, content }),
    reasoning: z.object({
      type: text,
      id,
      status,
      summary: z.nullish(z.array(json)),
      content: z.nullish(z.array(json)),
      encrypted_content: optionalText,
    }),
    function_call: z.object({ ...call, name: toolName, namespace: optionalText, arguments: text }),
    function_call_output: z.object(output),
    custom_tool_call: z.object({ ...call, name: toolName, namespace: optionalText, input: text }),
    custom_tool_call_output: z.object({ ...output, name: z.optional(toolName) }),
    local_shell_call: z.object({
      ...call,
      action: z.object({
        type: text,
        command: z.array(text),
        env: json,
        timeout_ms: optionalNumber,
        user: optionalText,
        working_directory: optionalText,
      }),
    }),
    local_shell_call_output: z.object({ ...output, call_id: optionalText }),
    shell_call: z.object({
      ...call,
      action: z.object({
        commands: z.array(text),
        max_output_length: optionalNumber,
        timeout_ms: optionalNumber,
      }),
      environment: here,
    }),
    shell_call_output: z.object({ ...call, output: json, max_output_length: optionalNumber }),
    apply_patch_call: z.object({
      ...call,
      operation: z.object({ type: text, path: text, diff: optionalText }),
    }),
    apply_patch_call_output: z.object({ ...call, output: optionalText }),
    tool_search_call: z.object({ ...search, arguments: json }),
    tool_search_output: z.object({ ...search, tools: z.array(tool) }),
    additional_tools: z.object({ type: text, id, role: text, tools: z.array(tool) }),
    compaction: z.object({ type: text, id, encrypted_content: text }),
  },
  fallback: "message",
  why: `${executed}; nor is what it has executed or stored before`,
});
