// OpenAI's chat completions, as its API and those that imitate it speak it.
// https://platform.openai.com/docs/api-reference/chat

import { type ChatBody, chatBody, textOf } from "./body-openai-chat.ts";
import { chatPrefix, refuseChatHistory } from "./history-openai-chat.ts";
import { type Asked, type Message, nameResults } from "./request.ts";
import { sealThought } from "./thought-seals.ts";
import type { ModelUsage, StopReason } from "./turn.ts";
import {
  CREATED_AT_SECONDS,
  callsOf,
  commentEvent,
  dataEvent,
  deltasOf,
  type EventWriter,
  joinText,
  type MadeCall,
  type Outline,
  parseInput,
  type Wire,
  type Writable,
} from "./wire.ts";

export const openAiChat: Wire = {
  name: "openai-chat",
  decode,
  refuseHistory: refuseChatHistory,
  prefixOf: chatPrefix,
  events,
  document,
  failure,
};

function decode(body: unknown): Asked {
  const { model, messages, tools = [], stream, stream_options, ...asked } = chatBody.parse(body);
  return {
    model,
    stream: stream === true,
    maxOutputTokens: asked.max_completion_tokens ?? asked.max_tokens ?? null,
    wantsUsage: stream !== true || stream_options?.include_usage === true,
    system: messages
      .flatMap((message) =>
        message.role === "system" || message.role === "developer" ? [textOf(message.content)] : [],
      )
      .join("\n\n"),
    messages: nameResults(messages.flatMap(readMessage)),
    tools: tools.map(({ function: { name, description = "", parameters } }) => ({
      name,
      description,
      schema: parameters,
    })),
  };
}

function readMessage(message: ChatBody["messages"][number]): Message[] {
  switch (message.role) {
    case "system":
    case "developer":
      return [];
    case "user":
      return [{ role: "user", text: textOf(message.content) }];
    case "assistant": {
      const { reasoning_content: thought, reasoning_details: details, tool_calls: calls = [] } = message;
      return [
        {
          role: "assistant",
          text: textOf(message.content ?? ""),
          thoughts:
            details !== undefined
              ? details.map(({ text = "", signature }) => ({ text, signature: signature ?? "none" }))
              : thought == null
                ? []
                : [{ text: thought, signature: null }],
          calls: calls.map(({ id, function: { name, arguments: input } }) => ({
            id,
            tool: name,
            input: parseInput(input),
          })),
        },
      ];
    }
    case "tool": {
      const result = {
        callId: message.tool_call_id,
        tool: "",
        text: textOf(message.content),
        isError: false,
      };
      return [{ role: "tool", results: [result] }];
    }
  }
}

function events({ id, asked, answer, prefix }: Outline): EventWriter {
  const frame = { id, object: "chat.completion.chunk", created: CREATED_AT_SECONDS, model: asked.model };
  const noUsage = asked.wantsUsage ? { usage: null } : {};
  const chunk = (delta: object, finish_reason: string | null = null) =>
    dataEvent({ ...frame, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...noUsage });
  let callCount = 0;

  const writeCalls = (calls: readonly MadeCall[]): string[] => {
    const first = callCount;
    callCount += calls.length;
    const openings = calls.map(({ id: callId, tool }, at) =>
      chunk({
        tool_calls: [
          { index: first + at, id: callId, type: "function", function: { name: tool, arguments: "" } },
        ],
      }),
    );
    const deltas = calls.map(({ input }) => deltasOf(input));
    const rounds = Math.max(...deltas.map(({ length }) => length));
    // Turn about, as servers that decode calls side by side send them.
    const inputs = Array.from({ length: rounds }, (_, round) =>
      deltas.flatMap((of, at) => {
        const delta = of[round];
        return delta === undefined
          ? []
          : [chunk({ tool_calls: [{ index: first + at, function: { arguments: delta } }] })];
      }),
    ).flat();
    return [...openings, ...inputs];
  };

  return {
    start: () => [chunk({ role: "assistant", content: "" })],
    write: (piece) => {
      switch (piece.type) {
        case "text":
          return deltasOf(piece.text).map((delta) => chunk({ content: delta }));
        case "thought":
          return isOpenRouters(asked.model)
            ? thoughtDetails(piece.text, prefix).map((delta) => chunk(delta))
            : deltasOf(piece.text).map((delta) => chunk({ reasoning_content: delta }));
        case "calls":
          return writeCalls(piece.calls);
        case "ping":
          return [commentEvent];
        case "error":
          return [
            dataEvent({ error: { message: piece.message, type: piece.kind, param: null, code: null } }),
          ];
      }
    },
    finish: () => [
      chunk({}, finishReasons[answer.stop]),
      ...(asked.wantsUsage ? [dataEvent({ ...frame, choices: [], usage: usageOf(answer.usage) })] : []),
      "data: [DONE]\n\n",
    ],
  };
}

/** OpenRouter names models by their makers. */
function isOpenRouters(model: string): boolean {
  return model.includes("/");
}

/** https://openrouter.ai/docs/guides/best-practices/reasoning-tokens: pieces of one detail, signed at its end. */
function thoughtDetails(text: string, prefix: string): object[] {
  const detail = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
  return [
    ...deltasOf(text).map((delta) => ({ reasoning: delta, reasoning_details: [{ ...detail, text: delta }] })),
    { reasoning_details: [{ ...detail, signature: sealThought(text, prefix) }] },
  ];
}

const finishReasons: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
  pause: "stop",
};

function document({ id, asked, answer }: Outline, pieces: readonly Writable[]): unknown {
  const thought = joinText(pieces, "thought");
  const calls = callsOf(pieces).map(({ id: callId, tool, input }) => ({
    id: callId,
    type: "function",
    function: { name: tool, arguments: input },
  }));
  const message = {
    role: "assistant",
    content: joinText(pieces, "text") || null,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id,
    object: "chat.completion",
    created: CREATED_AT_SECONDS,
    model: asked.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasons[answer.stop] }],
    usage: usageOf(answer.usage),
  };
}

function usageOf({ input, output, cacheRead, cacheWrite, reasoning }: ModelUsage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** The body that both of OpenAI's wires give an error. */
export function failure(status: number, message: string): unknown {
  const type = status === 429 ? "rate_limit_error" : status < 500 ? "invalid_request_error" : "server_error";
  return { error: { message, type, param: null, code: null } };
}
