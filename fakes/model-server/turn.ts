// What a scripted model answers, and how an answer may fail. Data alone: the wires spell it.

import type { ModelRequest } from "./request.ts";

export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  /** `input` is JSON as text, or what a model garbled. */
  | { readonly type: "call"; readonly tool: string; readonly input: string }
  /** Nothing more is sent before the promise is fulfilled. */
  | { readonly type: "wait"; readonly until: Promise<unknown> }
  | { readonly type: "ping" }
  /** The API's own error in the middle of a stream, which ends there. */
  | { readonly type: "error"; readonly kind: string; readonly message: string };

/** All tokens of the request and of the answer: the cached ones and the reasoning are part of these. */
export type ModelUsage = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
};

/** `pause`: the API has paused a long turn, and is to be asked again. Only Anthropic's has a word for it. */
export type StopReason = "stop" | "calls" | "length" | "filter" | "pause";

/** Where the answer breaks off. `end`: the stream closes as if it were whole. Else the connection is cut. */
export type Cut = (
  | { readonly type: "events"; readonly count: number }
  | { readonly type: "bytes"; readonly count: number }
) & { readonly how?: "cut" | "end" };

export type Answer = {
  readonly type: "answer";
  readonly parts: readonly Part[];
  readonly usage: ModelUsage;
  readonly stop: StopReason;
  readonly cut: Cut | null;
};

export type Turn =
  | Answer
  | {
      readonly type: "failure";
      readonly status: number;
      readonly message: string;
      /** In place of what the wire says: JSON, or the text itself. */
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** The connection is cut before a byte of the answer. */
  | { readonly type: "reset" }
  /** A stream that never ends its first line. */
  | { readonly type: "endless" }
  /** A good stream of these parts, over and over, that never ends: one byte at a time. */
  | { readonly type: "drip"; readonly parts: readonly Part[] }
  /** Not a byte before the promise is fulfilled, then the step. */
  | { readonly type: "stall"; readonly until: Promise<unknown>; readonly then: Step };

/** One answer, or what makes it out of the request. */
export type Step =
  | Turn
  | Part
  | readonly Part[]
  | ((request: ModelRequest) => Step | undefined | Promise<Step | undefined>);

export function say(text: string): Part {
  return { type: "text", text };
}

export function think(text: string): Part {
  return { type: "thought", text };
}

/** Several in one turn are parallel calls. */
export function call(tool: string, input: unknown = {}): Part {
  return { type: "call", tool, input: JSON.stringify(input) };
}

/** A call whose arguments are this text, JSON or not. */
export function callRaw(tool: string, input: string): Part {
  return { type: "call", tool, input };
}

/** For what a test lets go on: `Promise.withResolvers()`. */
export function wait(until: Promise<unknown>): Part {
  return { type: "wait", until };
}

export function ping(): Part {
  return { type: "ping" };
}

export function breakOff(kind = "overloaded_error", message = "Overloaded"): Part {
  return { type: "error", kind, message };
}

const defaultUsage: ModelUsage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** Parts with their own numbers, their own reason to stop, or a cut. Without a reason: calls, if there are any. */
export function answer(
  parts: readonly Part[],
  options: { readonly usage?: Partial<ModelUsage>; readonly stop?: StopReason; readonly cut?: Cut } = {},
): Answer {
  const stop = options.stop ?? (parts.some(({ type }) => type === "call") ? "calls" : "stop");
  const usage = { ...defaultUsage, ...options.usage };
  return { type: "answer", parts, usage, stop, cut: options.cut ?? null };
}

/** An error in the answer's place. `retryAfter` is in seconds and becomes the header. */
export function fault(options: {
  readonly status: number;
  readonly retryAfter?: number;
  readonly message?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}): Turn {
  const { status, retryAfter, body, message = `Scripted failure ${status}.` } = options;
  const headers: Record<string, string> = { ...options.headers };
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  return { type: "failure", status, message, body, headers };
}

export function reset(): Turn {
  return { type: "reset" };
}

export function endless(): Turn {
  return { type: "endless" };
}

export function drip(parts: readonly Part[]): Turn {
  return { type: "drip", parts };
}

/** Without a promise: for ever. */
export function stall(until: Promise<unknown> = new Promise(() => {}), then: Step = say("")): Turn {
  return { type: "stall", until, then };
}

/** The step as a turn. Functions are asked until they give one. */
export async function settle(step: Step, request: ModelRequest): Promise<Turn> {
  let current: Step | undefined = step;
  while (typeof current === "function") current = await current(request);
  if (current === undefined) return outOfTurns(request);
  if (isParts(current)) return answer(current);
  switch (current.type) {
    case "answer":
    case "failure":
    case "reset":
    case "endless":
    case "drip":
    case "stall":
      return current;
    default:
      return answer([current]);
  }
}

/** 400, which no client repeats: a story that asks once too often is a mistake of the test or of the loop. */
export function outOfTurns(request: ModelRequest): Turn {
  const message = `The script has no turn left for model "${request.model}" after ${request.assistantTurns} answers in the history. Add a turn, or see why the loop asks again.`;
  return fault({ status: 400, message });
}

function isParts(step: Turn | Part | readonly Part[]): step is readonly Part[] {
  return Array.isArray(step);
}
