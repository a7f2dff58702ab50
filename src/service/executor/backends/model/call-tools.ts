// Executes the tool calls of one turn, each visible in the run, with results in the order of the calls.

import type { ModelMessage } from "ai";
import type { Checkout } from "../../../core/checkouts/checkout.ts";
import { StorageFullError } from "../../../core/ports/storage-full.ts";
import type { BackendTask } from "../../backend.ts";
import type { CallEffect } from "../../call-effect.ts";
import { effectOf, type Tool, type ToolAccess, type ToolImage } from "../../tools/tool.ts";
import { attemptTool, boundResult, payForCall } from "../../tools/tool-call.ts";
import type { AnswerEvents } from "./answer-events.ts";
import { imageMessage } from "./image-messages.ts";
import { UNKNOWN_RESULT } from "./left-loop.ts";
import type { CallJournal, GivenReply, LeftCalls } from "./loop-state.ts";
import type { MadeCall } from "./model-call.ts";
import { ReadWriteLock } from "./read-write-lock.ts";
import type { RepeatedCalls } from "./repeated-calls.ts";

type ToolCalls = {
  /** The turn that they are of. */
  readonly turn: number;
  readonly calls: readonly MadeCall[];
  readonly tools: readonly Tool<unknown>[];
  readonly task: Pick<BackendTask, "signal" | "meter">;
  readonly checkout: Checkout;
  /** Of the answer that made the calls. */
  readonly events: AnswerEvents;
  readonly repeated: RepeatedCalls;
  /** Null where the run ends with its worker. */
  readonly journal: CallJournal | null;
  /** The answer that made the calls. */
  readonly reply: GivenReply;
  /** What another worker has left of them. Null: none of them was begun. */
  readonly left: LeftCalls | null;
};

/** A call that was made. */
export type UsedTool = {
  readonly name: string;
  readonly access: ToolAccess;
  readonly input: unknown;
  /** False where it was refused, or failed. */
  readonly ok: boolean;
  /** As the tool has it. Undefined where it failed, and where an earlier worker has made the call. */
  readonly value: unknown;
};

export type ToolResults = {
  /** The results, and behind them the images that tools have shown. */
  readonly messages: readonly ModelMessage[];
  /** A tool that writes has succeeded. */
  readonly hasWritten: boolean;
  /** A tool was called that may have changed files. */
  readonly mayHaveChangedFiles: boolean;
  /** In the order of the calls. */
  readonly used: readonly UsedTool[];
};

type Outcome = {
  readonly ok: boolean;
  readonly text: string;
  readonly value?: unknown;
  readonly images?: readonly ToolImage[];
};
type Answered = Outcome & {
  readonly call: MadeCall;
  readonly access: ToolAccess;
  readonly effect: CallEffect;
};

/**
 * Reads run concurrently, writes alone. A call that cannot be executed returns an error text to the model. Once all have stopped, rejects
 * with the signal's reason, or with a `StorageFullError` where another worker can repeat the turn that found no room on the disk.
 */
export async function callTools(made: ToolCalls): Promise<ToolResults> {
  const lock = new ReadWriteLock();
  const working = made.calls.map(async (call): Promise<Answered> => {
    const tool = made.tools.find(({ name }) => name === call.toolName);
    const access = tool?.access ?? "read";
    const effect = tool === undefined ? "none" : effectOf(tool);
    const left = leftOf(made.left, call);
    if (left !== null) return { call, access, effect, ...left };
    // Another worker has shown it, and has closed it.
    if (made.left !== null) await made.events.take({ type: "tool-call", ...shownCall(call) });
    const outcome = await lock.hold(access, () => attempt(made, { call, tool }));
    made.task.signal.throwIfAborted();
    const note = made.repeated.note({ ...call, result: outcome.text });
    const text = boundResult(note === null ? outcome.text : `${outcome.text}\n${note}`);
    await made.events.answer(made.events.callId(call.toolCallId), text, effect);
    const { ok, value, images = [] } = outcome;
    return { call, access, effect, ok, text, value, images };
  });
  await Promise.allSettled(working);
  const answered = await Promise.all(working);
  const shown = imageMessage(answered.flatMap(({ images = [] }) => images));
  return {
    messages: [resultsMessage(answered), ...(shown === null ? [] : [shown])],
    mayHaveChangedFiles: answered.some(({ effect }) => effect === "maybe_files"),
    hasWritten: answered.some(({ ok, access }) => ok && access === "write"),
    used: answered.map(({ ok, access, value, call: { toolName: name, input } }) => ({
      name,
      access,
      input,
      ok,
      value,
    })),
  };
}

/** Answers the calls of a turn after which there is none. */
export async function declineCalls(calls: readonly MadeCall[], events: AnswerEvents): Promise<void> {
  const content = "error: no turn is left for this call, and it was not made";
  for (const { toolCallId } of calls) await events.answer(events.callId(toolCallId), content, "none");
}

async function attempt(
  { turn, calls, tools, task, checkout, journal, reply, left }: ToolCalls,
  { call, tool }: { call: MadeCall; tool: Tool<unknown> | undefined },
): Promise<Outcome> {
  task.signal.throwIfAborted();
  if (tool === undefined || call.fault !== null) {
    const offered = tools.map(({ name }) => name).join(", ");
    const why = tool === undefined ? `there is no tool named ${call.toolName.slice(0, 100)}` : call.fault;
    return { ok: false, text: `error: ${why}. The tools are: ${offered}.` };
  }
  const { toolCallId, input } = call;
  const { isOutside = false, isRepeatable = false } = tool;
  // Another worker has paid for it.
  const isBegun = left?.again.includes(toolCallId) === true;
  const unpaid = isBegun ? null : await payForCall(task.meter, tool);
  if (unpaid !== null) return { ok: false, text: unpaid };
  if (isOutside && !isBegun) await journal?.beforeCall(reply, { toolCallId, isRepeatable });
  const callsAtOnce = calls.filter(({ toolName }) => toolName === tool.name).length;
  const place = `${turn}.${calls.indexOf(call)}`;
  const outcome = await attemptTool({ task, tool, input, checkout, callsAtOnce, call: place });
  // What a stop has cut off is no result of it.
  task.signal.throwIfAborted();
  if (!outcome.ok && outcome.fullDisk !== undefined && journal?.isKept === true)
    throw new StorageFullError(outcome.fullDisk);
  if (isOutside) journal?.afterCall({ toolCallId, ok: outcome.ok, text: outcome.text });
  return outcome;
}

/** A call that is not made: another worker has begun it. Null: it is made. */
function leftOf(left: LeftCalls | null, { toolCallId }: MadeCall): Outcome | null {
  if (left === null) return null;
  const known = left.known.find((one) => one.toolCallId === toolCallId);
  if (known !== undefined) return { ok: known.ok, text: boundResult(known.text) };
  return left.begun.includes(toolCallId) ? { ok: false, text: UNKNOWN_RESULT } : null;
}

function shownCall({ toolCallId, toolName, input }: MadeCall) {
  return { toolCallId, toolName, input, dynamic: true } as const;
}

function resultsMessage(answered: readonly Answered[]): ModelMessage {
  return {
    role: "tool",
    content: answered.map(({ call: { toolCallId, toolName }, ok, text }) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output: ok ? { type: "text", value: text } : { type: "error-text", value: text },
    })),
  };
}
