// Anthropic's messages. https://docs.anthropic.com/en/api/messages-streaming

import type * as z from "zod/mini";
import { type Block, blocksOf, isBlock, messagesBody, type Sent, type text } from "./body-anthropic.ts";
import { anthropicPrefix, refuseAnthropicHistory } from "./history-anthropic.ts";
import { type Asked, type Message, nameResults } from "./request.ts";
import { sealThought } from "./thought-seals.ts";
import type { ModelUsage, StopReason } from "./turn.ts";
import {
  callsOf,
  deltasOf,
  type EventWriter,
  joinText,
  type MadeCall,
  namedEvent,
  type Outline,
  parseInput,
  type Wire,
  type Writable,
} from "./wire.ts";

export const anthropic: Wire = {
  name: "anthropic",
  decode,
  refuseHistory: refuseAnthropicHistory,
  prefixOf: anthropicPrefix,
  events,
  document,
  failure,
};

function decode(body: unknown): Asked {
  const { model, system = "", messages, tools = [], stream, max_tokens } = messagesBody.parse(body);
  return {
    model,
    stream: stream === true,
    wantsUsage: true,
    maxOutputTokens: max_tokens,
    system: [typeof system === "string" ? system : textOf(system), ...messages.flatMap(instructionOf)].join(
      "\n\n",
    ),
    messages: nameResults(messages.flatMap(readMessage)),
    tools: tools.map(({ name, description = "", input_schema }) => ({
      name,
      description,
      schema: input_schema,
    })),
  };
}

function textOf(system: readonly z.infer<typeof text>[]): string {
  return system.map((block) => block.text).join("\n\n");
}

/** What was said between the turns, and by neither side. */
function instructionOf({ role, content }: Sent): string[] {
  if (role !== "system") return [];
  return typeof content === "string"
    ? [content]
    : content.flatMap((block) => (isBlock(block, "text") ? [block.text] : []));
}

function readMessage(message: Sent): Message[] {
  const { role } = message;
  if (role === "system") return [];
  const content = blocksOf(message);
  const said = content.flatMap((block) => (isBlock(block, "text") ? [block.text] : [])).join("");
  if (role === "assistant") {
    const thoughts = content.flatMap((block) =>
      isBlock(block, "thinking") ? [{ text: block.thinking, signature: block.signature }] : [],
    );
    const calls = content.flatMap((block) =>
      isBlock(block, "tool_use") ? [{ id: block.id, tool: block.name, input: block.input }] : [],
    );
    return [{ role, text: said, thoughts, calls }];
  }
  const results = content.flatMap((block) =>
    isBlock(block, "tool_result")
      ? [{ callId: block.tool_use_id, tool: "", text: resultText(block), isError: block.is_error === true }]
      : [],
  );
  // Clients send what is said one after the other as blocks of one message.
  const texts = content.flatMap((block) => (isBlock(block, "text") ? [block.text] : []));
  const isSilent = results.length === 0 && texts.length === 0;
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, results }] : []),
    ...(isSilent ? [""] : texts).map((some) => ({ role: "user" as const, text: some })),
  ];
}

function resultText({ content = "" }: Extract<Block, { type: "tool_result" }>): string {
  return typeof content === "string" ? content : content.map((block) => block.text ?? "").join("");
}

function events({ id, asked, answer, prefix }: Outline): EventWriter {
  let index = -1;
  let open: "text" | "thought" | null = null;
  let thought = "";

  const delta = (value: object) => namedEvent({ type: "content_block_delta", index, delta: value });
  const begin = (content_block: object) => {
    index += 1;
    return namedEvent({ type: "content_block_start", index, content_block });
  };
  const stop = () => namedEvent({ type: "content_block_stop", index });
  const close = (): string[] => {
    const signed =
      open === "thought" ? [delta({ type: "signature_delta", signature: sealThought(thought, prefix) })] : [];
    const closed = open === null ? [] : [...signed, stop()];
    open = null;
    thought = "";
    return closed;
  };
  /** A block stays open while the same goes on. */
  const within = (kind: "text" | "thought", block: object): string[] => {
    if (open === kind) return [];
    const before = [...close(), begin(block)];
    open = kind;
    return before;
  };
  const writeCall = ({ id: callId, tool, input }: MadeCall): string[] => [
    begin({ type: "tool_use", id: callId, name: tool, input: {} }),
    ...["", ...deltasOf(input)].map((partial_json) => delta({ type: "input_json_delta", partial_json })),
    stop(),
  ];

  return {
    start: () => {
      // The real one knows the input from the start, and of the output the first token.
      const usage = { ...usageOf(answer.usage), output_tokens: 1, output_tokens_details: undefined };
      const head = { id, type: "message", role: "assistant", model: asked.model, content: [] };
      const message = { ...head, stop_reason: null, stop_sequence: null, usage };
      return [namedEvent({ type: "message_start", message }), namedEvent({ type: "ping" })];
    },
    write: (piece) => {
      switch (piece.type) {
        case "text": {
          const opening = within("text", { type: "text", text: "" });
          return [
            ...opening,
            ...deltasOf(piece.text).map((some) => delta({ type: "text_delta", text: some })),
          ];
        }
        case "thought": {
          const opening = within("thought", { type: "thinking", thinking: "", signature: "" });
          thought += piece.text;
          const deltas = deltasOf(piece.text).map((thinking) => delta({ type: "thinking_delta", thinking }));
          return [...opening, ...deltas];
        }
        case "calls":
          return [...close(), ...piece.calls.flatMap(writeCall)];
        case "ping":
          return [namedEvent({ type: "ping" })];
        case "error":
          return [namedEvent({ type: "error", error: { type: piece.kind, message: piece.message } })];
      }
    },
    finish: () => [
      ...close(),
      namedEvent({
        type: "message_delta",
        delta: { stop_reason: stopReasons[answer.stop], stop_sequence: null },
        usage: usageOf(answer.usage),
      }),
      namedEvent({ type: "message_stop" }),
    ],
  };
}

const stopReasons: Readonly<Record<StopReason, string>> = {
  stop: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  filter: "refusal",
  pause: "pause_turn",
};

function document({ id, asked, answer, prefix }: Outline, pieces: readonly Writable[]): unknown {
  const thinking = joinText(pieces, "thought");
  const said = joinText(pieces, "text");
  const calls = callsOf(pieces).map(({ id: callId, tool, input }) => ({
    type: "tool_use",
    id: callId,
    name: tool,
    input: parseInput(input),
  }));
  const content = [
    ...(thinking === "" ? [] : [{ type: "thinking", thinking, signature: sealThought(thinking, prefix) }]),
    ...(said === "" ? [] : [{ type: "text", text: said }]),
    ...calls,
  ];
  const head = { id, type: "message", role: "assistant", model: asked.model, content };
  return {
    ...head,
    stop_reason: stopReasons[answer.stop],
    stop_sequence: null,
    usage: usageOf(answer.usage),
  };
}

function usageOf({ input, output, cacheRead, cacheWrite, reasoning }: ModelUsage) {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    output_tokens_details: reasoning === 0 ? undefined : { thinking_tokens: reasoning },
  };
}

function failure(status: number, message: string): unknown {
  const type = errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { type, message }, request_id: "req_scripted" };
}

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};
