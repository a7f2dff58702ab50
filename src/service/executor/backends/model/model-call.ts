// One request to a model and its streamed answer. No retries, no money: the outcome is a value.

import { jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from "ai";
import * as z from "zod/mini";
import type { Clock } from "../../../../base/clock.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AnswerListener, AnswerPart } from "./answer-events.ts";
import { type CallTimeoutLimits, CallTimeouts } from "./call-timeouts.ts";
import type { ReportedUsage } from "./reported-usage.ts";
import type { WireModel } from "./wires/wire.ts";

/** Of Anthropic: platform.claude.com/docs/en/build-with-claude/handling-stop-reasons, looked up on 2026-11-27. */
const PAUSED = "pause_turn";

type ModelCall = {
  readonly model: WireModel;
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
  readonly maxOutputTokens: number;
  readonly traceparent: string | null;
  readonly listener: AnswerListener;
  readonly clock: Clock;
  readonly limits: CallTimeoutLimits;
  readonly signal: AbortSignal;
  /** Called once with the usage of the answer, complete or cut. Not called if no answer began. */
  count(heard: HeardUsage): void;
};

/** The usage that the server reported, and the length of what it sent. */
export type HeardUsage = {
  readonly reported: ReportedUsage;
  readonly heardChars: number;
  readonly heardBytes: number;
};

export type MadeCall = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** Set where the arguments cannot be decoded, or the tool was not offered. */
  readonly fault: string | null;
};

export type ModelResponse = {
  readonly text: string;
  readonly calls: readonly MadeCall[];
  /** As they go back with the history, signatures included; without results. */
  readonly messages: readonly ModelMessage[];
  /** `pause`: the API has paused a long turn and goes on when it is asked again. */
  readonly finish: "stop" | "length" | "filter" | "pause";
};

type CallOutcome =
  | { readonly ok: true; readonly answer: ModelResponse }
  /** `said`: the text before the answer was cut. */
  | { readonly ok: false; readonly cause: unknown; readonly said: string };

/** Tools as the model is shown them. Their inputs are decoded by the tools themselves. */
export function toolSetOf(tools: readonly Tool<unknown>[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, jsonSchema: schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(schema as Parameters<typeof jsonSchema>[0]) }),
    ]),
  );
}

/** Sends the request once. Rejects with the signal's reason on abort, and with what the listener throws. */
export async function callModel(call: ModelCall): Promise<CallOutcome> {
  const { listener, signal } = call;
  const timeouts = new CallTimeouts(call.clock, call.limits);
  const leaving = new AbortController();
  const abortSignal = AbortSignal.any([signal, timeouts.signal, leaving.signal]);
  const heard = new Heard();
  const count = () => heard.tell(call.count);
  // At once: a stopped run is settled without waiting for its backend.
  signal.addEventListener("abort", count, { once: true });
  let isWhole = false;
  try {
    const result = streamText({
      model: call.model.model,
      instructions: call.instructions,
      messages: [...call.messages],
      tools: call.tools,
      maxOutputTokens: call.maxOutputTokens,
      maxRetries: 0,
      abortSignal,
      headers: call.traceparent === null ? {} : { traceparent: call.traceparent },
      providerOptions: call.model.providerOptions,
      ...(call.model.effort === null ? {} : { reasoning: call.model.effort }),
      telemetry: { isEnabled: false },
      onError: () => {},
    });
    for await (const part of partsOf(result.stream)) {
      if (part.type !== "start" && part.type !== "start-step") timeouts.restart();
      heard.take(part);
      await listener.take(part);
    }
    signal.throwIfAborted();
    if (timeouts.signal.aborted) return { ok: false, cause: timeouts.signal.reason, said: heard.text };
    if (heard.cause !== null || heard.finish === null) {
      return { ok: false, cause: heard.cause ?? new Error("The answer did not end."), said: heard.text };
    }
    const messages = (await result.responseMessages).filter(({ role }) => role === "assistant");
    isWhole = true;
    const { text, calls, finish } = heard;
    return { ok: true, answer: { text, calls, messages, finish } };
  } finally {
    signal.removeEventListener("abort", count);
    count();
    timeouts.end();
    leaving.abort();
    // A stopped run's stream takes no more events: the executor closes what is open.
    const ending = heard.finish === "length" ? "full" : "whole";
    const closed = listener.close(isWhole ? ending : "cut");
    await (isWhole ? closed : closed.catch(() => {}));
  }
}

/** The parts, and as the last one what the stream throws when its connection is cut. */
async function* partsOf(stream: AsyncIterable<AnswerPart>): AsyncGenerator<AnswerPart> {
  try {
    yield* stream;
  } catch (error) {
    yield { type: "error", error };
  }
}

/** The answer so far. */
class Heard {
  text = "";
  readonly calls: MadeCall[] = [];
  finish: ModelResponse["finish"] | null = null;
  cause: unknown = null;
  #chars = 0;
  #bytes = 0;
  #isReached = false;
  #isTold = false;
  #input: number | null = null;
  #cachedInput: number | null = null;
  #cacheWrite: number | null = null;
  #output: number | null = null;

  tell(count: ModelCall["count"]): void {
    if (!this.#isReached || this.#isTold) return;
    this.#isTold = true;
    const reported = {
      input: this.#input,
      cachedInput: this.#cachedInput,
      cacheWrite: this.#cacheWrite,
      output: this.#output,
    };
    count({ reported, heardChars: this.#chars, heardBytes: this.#bytes });
  }

  take(part: AnswerPart): void {
    switch (part.type) {
      case "text-delta":
        this.text += part.text;
        this.#count(part.text);
        return;
      case "reasoning-delta":
        this.#count(part.text);
        return;
      case "tool-input-delta":
        this.#count(part.delta);
        return;
      case "tool-call": {
        const { toolCallId, toolName, input } = part;
        this.calls.push({ toolCallId, toolName, input, fault: faultOf(part) });
        return;
      }
      case "custom":
        this.#isReached = true;
        this.#begin(part);
        return;
      case "finish-step":
        this.#end(part);
        return;
      case "error":
        this.cause ??= part.error ?? new Error("The answer broke off.");
        return;
      default:
    }
  }

  #count(text: string): void {
    this.#isReached = true;
    this.#chars += text.length;
    this.#bytes += Buffer.byteLength(text);
  }

  /** Anthropic reports the input tokens at once, so a cut answer can still be counted. */
  #begin({ kind, providerMetadata }: Extract<AnswerPart, { type: "custom" }>): void {
    if (kind !== "anthropic.message_start") return;
    const parsed = earlyUsage.safeParse(providerMetadata?.anthropic);
    if (!parsed.success) return;
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = parsed.data.usage;
    this.#cachedInput = cache_read_input_tokens ?? 0;
    this.#cacheWrite = cache_creation_input_tokens ?? 0;
    this.#input ??= input_tokens + this.#cacheWrite + this.#cachedInput;
  }

  #end({ usage, finishReason, rawFinishReason }: Extract<AnswerPart, { type: "finish-step" }>): void {
    this.#input = usage.inputTokens ?? this.#input;
    this.#cachedInput = usage.inputTokenDetails.cacheReadTokens ?? this.#cachedInput;
    this.#cacheWrite = usage.inputTokenDetails.cacheWriteTokens ?? this.#cacheWrite;
    this.#output = usage.outputTokens ?? this.#output;
    this.#isReached ||= usage.inputTokens !== undefined;
    switch (finishReason) {
      case "length":
        this.finish = "length";
        return;
      case "content-filter":
        this.finish = "filter";
        return;
      case "error":
      case "interrupted":
        this.cause ??= new Error("The answer broke off.");
        return;
      default:
        this.#isReached = true;
        this.finish = rawFinishReason === PAUSED ? "pause" : "stop";
    }
  }
}

function faultOf(part: Extract<AnswerPart, { type: "tool-call" }>): string | null {
  if (part.invalid !== true) return null;
  if (typeof part.input !== "string") return `there is no tool named ${part.toolName.slice(0, 100)}`;
  return "the input is not JSON";
}

const earlyUsage = z.object({
  usage: z.object({
    input_tokens: z.number(),
    cache_creation_input_tokens: z.nullish(z.number()),
    cache_read_input_tokens: z.nullish(z.number()),
  }),
});
