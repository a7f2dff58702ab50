// OpenAI's responses. https://platform.openai.com/docs/api-reference/responses-streaming

import * as z from "zod/mini";
import { type content, type Item, itemsOf, responsesBody } from "./body-openai-responses.ts";
import { refuseResponsesHistory, responsesPrefix } from "./history-openai-responses.ts";
import { type Asked, type Message, nameResults } from "./request.ts";
import { sealThought } from "./thought-seals.ts";
import type { ModelUsage } from "./turn.ts";
import {
  CREATED_AT_SECONDS,
  commentEvent,
  deltasOf,
  type EventWriter,
  type MadeCall,
  namedEvent,
  type Outline,
  parseInput,
  type Wire,
  type Writable,
} from "./wire.ts";
import { failure } from "./wire-openai-chat.ts";

type AssistantMessage = Extract<Message, { role: "assistant" }>;

export const openAiResponses: Wire = {
  name: "openai-responses",
  decode,
  refuseHistory: refuseResponsesHistory,
  prefixOf: responsesPrefix,
  events,
  document,
  failure,
};

function decode(body: unknown): Asked {
  const parsed = responsesBody.parse(body);
  const { model, instructions, tools = [], stream, max_output_tokens } = parsed;
  const asked = itemsOf(parsed);
  const system = asked.flatMap((item) =>
    item.type === "message" && (item.role === "system" || item.role === "developer")
      ? [textOf(item.content)]
      : [],
  );
  return {
    model,
    stream: stream === true,
    wantsUsage: true,
    maxOutputTokens: max_output_tokens ?? null,
    system: [instructions ?? "", ...system].filter((part) => part !== "").join("\n\n"),
    messages: nameResults(readItems(asked)),
    tools: tools.map(({ type, name = type, description, parameters }) => ({
      name,
      description: description ?? "",
      schema: parameters,
      ...(type === "custom" ? { isCustom: true } : {}),
    })),
  };
}

/** Items side by side are one message: a thought, a text and calls are one answer, outputs are one turn of tools. */
function readItems(asked: readonly Item[]): Message[] {
  const messages: Message[] = [];
  const extend = (more: Partial<AssistantMessage>) => {
    const last = messages.at(-1);
    const answer =
      last?.role === "assistant" ? last : { role: "assistant" as const, text: "", thoughts: [], calls: [] };
    if (last?.role === "assistant") messages.pop();
    messages.push({
      role: "assistant",
      text: answer.text + (more.text ?? ""),
      thoughts: [...answer.thoughts, ...(more.thoughts ?? [])],
      calls: [...answer.calls, ...(more.calls ?? [])],
    });
  };
  for (const item of asked) {
    switch (item.type) {
      case "reasoning": {
        const text = item.summary.map((part) => part.text).join("");
        extend({ thoughts: [{ text, signature: item.encrypted_content ?? null }] });
        break;
      }
      case "function_call":
        extend({ calls: [{ id: item.call_id, tool: item.name, input: parseInput(item.arguments) }] });
        break;
      case "custom_tool_call":
        extend({ calls: [{ id: item.call_id, tool: item.name, input: { input: item.input } }] });
        break;
      case "custom_tool_call_output":
      case "function_call_output": {
        const result = { callId: item.call_id, tool: "", ...resultOf(textOf(item.output)) };
        const last = messages.at(-1);
        if (last?.role === "tool")
          messages[messages.length - 1] = { role: "tool", results: [...last.results, result] };
        else messages.push({ role: "tool", results: [result] });
        break;
      }
      case "message":
        if (item.role === "assistant") extend({ text: textOf(item.content) });
        else if (item.role === "user") messages.push({ role: "user", text: textOf(item.content) });
    }
  }
  return messages;
}

/** Clients write an error as an object. */
function resultOf(output: string): { readonly text: string; readonly isError: boolean } {
  const parsed = z.strictObject({ error: z.string() }).safeParse(parseInput(output));
  return parsed.success ? { text: parsed.data.error, isError: true } : { text: output, isError: false };
}

function textOf(value: z.infer<typeof content>): string {
  return typeof value === "string" ? value : value.map(({ text = "" }) => text).join("");
}

type OpenItem = { readonly type: "text" | "thought"; readonly id: string; text: string };

function writerOf({
  id,
  asked,
  answer,
  prefix,
}: Outline): EventWriter & { readonly response: () => unknown } {
  const output: object[] = [];
  let open: OpenItem | null = null;
  let sequence = -1;

  const event = (type: string, fields: object): string => {
    sequence += 1;
    return namedEvent({ type, sequence_number: sequence, ...fields });
  };
  const state = (fields: object) => ({
    id,
    object: "response",
    created_at: CREATED_AT_SECONDS,
    model: asked.model,
    error: null,
    incomplete_details: null,
    usage: null,
    ...fields,
    output: [...output],
  });
  const isWhole = answer.stop !== "length" && answer.stop !== "filter";
  const ending = () =>
    isWhole
      ? state({ status: "completed", usage: usageOf(answer.usage) })
      : state({
          status: "incomplete",
          usage: usageOf(answer.usage),
          incomplete_details: { reason: answer.stop === "length" ? "max_output_tokens" : "content_filter" },
        });
  const added = (item: object) => event("response.output_item.added", { output_index: output.length, item });
  const done = (item: object): string => {
    output.push(item);
    return event("response.output_item.done", { output_index: output.length - 1, item });
  };

  const begin = (type: OpenItem["type"]): string[] => {
    if (open?.type === type) return [];
    const before = close();
    const itemId = `${type === "text" ? "msg" : "rs"}_${id}_${output.length}`;
    open = { type, id: itemId, text: "" };
    const at = { item_id: itemId, output_index: output.length };
    if (type === "text") {
      const item = { id: itemId, type: "message", role: "assistant", status: "in_progress", content: [] };
      const part = { type: "output_text", text: "", annotations: [] };
      return [
        ...before,
        added(item),
        event("response.content_part.added", { ...at, content_index: 0, part }),
      ];
    }
    return [...before, added({ id: itemId, type: "reasoning", summary: [] })];
  };

  const close = (): string[] => {
    if (open === null) return [];
    const { type, id: itemId, text } = open;
    open = null;
    const at = { item_id: itemId, output_index: output.length };
    if (type === "text") {
      const part = { type: "output_text", text, annotations: [] };
      return [
        event("response.output_text.done", { ...at, content_index: 0, text }),
        event("response.content_part.done", { ...at, content_index: 0, part }),
        done({ id: itemId, type: "message", role: "assistant", status: "completed", content: [part] }),
      ];
    }
    const part = { type: "summary_text", text };
    const encrypted_content = sealThought(text, prefix);
    if (text === "") return [done({ id: itemId, type: "reasoning", summary: [], encrypted_content })];
    return [
      event("response.reasoning_summary_text.done", { ...at, summary_index: 0, text }),
      event("response.reasoning_summary_part.done", { ...at, summary_index: 0, part }),
      done({ id: itemId, type: "reasoning", summary: [part], encrypted_content }),
    ];
  };

  const writeText = (type: OpenItem["type"], text: string): string[] => {
    const before = begin(type);
    if (open === null || text === "") return before;
    const at = { item_id: open.id, output_index: output.length };
    const part = { type: "summary_text", text: "" };
    const opened =
      type === "thought" && open.text === ""
        ? [event("response.reasoning_summary_part.added", { ...at, summary_index: 0, part })]
        : [];
    open.text += text;
    const [name, place] =
      type === "text"
        ? ["response.output_text.delta", { content_index: 0 }]
        : ["response.reasoning_summary_text.delta", { summary_index: 0 }];
    return [...before, ...opened, ...deltasOf(text).map((delta) => event(name, { ...at, ...place, delta }))];
  };

  const writeCustomCall = ({ id: callId, tool, input }: MadeCall): string[] => {
    const text = z.object({ input: z.string() }).parse(parseInput(input)).input;
    const item = { id: `ctc_${callId}`, type: "custom_tool_call", call_id: callId, name: tool };
    const at = { item_id: item.id, output_index: output.length };
    return [
      added({ ...item, input: "", status: "in_progress" }),
      ...deltasOf(text).map((delta) => event("response.custom_tool_call_input.delta", { ...at, delta })),
      event("response.custom_tool_call_input.done", { ...at, input: text }),
      done({ ...item, input: text, status: "completed" }),
    ];
  };

  const writeCall = (call: MadeCall): string[] => {
    const { id: callId, tool, input } = call;
    if (asked.tools.some(({ name, isCustom }) => name === tool && isCustom === true))
      return writeCustomCall(call);
    const item = { id: `fc_${callId}`, type: "function_call", call_id: callId, name: tool };
    const at = { item_id: item.id, output_index: output.length };
    return [
      added({ ...item, arguments: "", status: "in_progress" }),
      ...deltasOf(input).map((delta) => event("response.function_call_arguments.delta", { ...at, delta })),
      event("response.function_call_arguments.done", { ...at, arguments: input }),
      done({ ...item, arguments: input, status: "completed" }),
    ];
  };

  return {
    response: ending,
    start: () => [
      event("response.created", { response: state({ status: "in_progress" }) }),
      event("response.in_progress", { response: state({ status: "in_progress" }) }),
    ],
    write: (piece) => {
      switch (piece.type) {
        case "text":
        case "thought":
          return writeText(piece.type, piece.text);
        case "calls":
          return [...close(), ...piece.calls.flatMap(writeCall)];
        case "ping":
          return [commentEvent];
        case "error": {
          const error = { code: piece.kind, message: piece.message };
          return [event("response.failed", { response: state({ status: "failed", error }) })];
        }
      }
    },
    finish: () => [
      ...close(),
      event(isWhole ? "response.completed" : "response.incomplete", { response: ending() }),
    ],
  };
}

function events(outline: Outline): EventWriter {
  return writerOf(outline);
}

function document(outline: Outline, pieces: readonly Writable[]): unknown {
  const writer = writerOf(outline);
  for (const piece of pieces) writer.write(piece);
  writer.finish();
  return writer.response();
}

function usageOf({ input, output, cacheRead, reasoning }: ModelUsage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
