// Executes one tool call; its start, arguments, end and result become events of the run.

import { hasNoRoom } from "../../../base/error-code.ts";
import { CheckoutError } from "../../core/checkouts/checkout.ts";
import type { BackendTask } from "../backend.ts";
import { effectOf, type Tool, type ToolAnswer, type ToolContext, ToolError } from "./tool.ts";

/** The most that one result may add to the run's stream. */
export const MAX_RESULT_BYTES = 64 * 1024;

type ToolCallOptions<Value> = {
  readonly task: Pick<BackendTask, "emit" | "nextId" | "signal">;
  readonly tool: Tool<Value>;
  readonly input: unknown;
  readonly checkout: ToolContext["checkout"];
};

type ToolOutcome<Value> =
  | ({ readonly ok: true } & ToolAnswer<Value>)
  /** `text` begins with "error: ". `fullDisk`: the failure, where the disk has no room. */
  | { readonly ok: false; readonly text: string; readonly fullDisk?: ToolError };

/**
 * Runs a tool and emits TOOL_CALL_START, ARGS, END and RESULT around it. A tool that fails yields a text, not an
 * exception; an aborted run rejects with the signal's reason.
 */
export async function callTool<Value>(call: ToolCallOptions<Value>): Promise<ToolOutcome<Value>> {
  const { task, tool, input } = call;
  task.signal.throwIfAborted();
  const toolCallId = task.nextId("call");
  await task.emit({ type: "TOOL_CALL_START", toolCallId, toolCallName: tool.name });
  await task.emit({ type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(input) ?? "null" });
  await task.emit({ type: "TOOL_CALL_END", toolCallId });
  const outcome = await attemptTool(call);
  task.signal.throwIfAborted();
  const messageId = task.nextId("message");
  const content = boundResult(outcome.text);
  await task.emit({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" }, effectOf(tool));
  return { ...outcome, text: content };
}

/** Pays for a call of the tool. Resolves with the text for whoever called where nobody can pay, and the call is not to be made; else with null. */
export async function payForCall(
  meter: Pick<BackendTask["meter"], "payForTool">,
  { name }: Pick<Tool<unknown>, "name">,
): Promise<string | null> {
  return (await meter.payForTool(name))
    ? null
    : `error: the credits do not suffice for a call of ${name}, and it was not made. Go on without it.`;
}

/** Executes a tool without events. Never rejects: a failure is a text. */
export async function attemptTool<Value>({
  task,
  tool,
  input,
  checkout,
  callsAtOnce = 1,
  call,
}: Pick<ToolCallOptions<Value>, "tool" | "input" | "checkout"> & {
  readonly task: Pick<BackendTask, "signal">;
  readonly callsAtOnce?: number;
  readonly call?: string;
}): Promise<ToolOutcome<Value>> {
  try {
    const context = { checkout, signal: task.signal, callsAtOnce, ...(call === undefined ? {} : { call }) };
    const answer = await tool.run(input, context);
    return { ok: true, ...answer };
  } catch (cause) {
    // An error that is not a ToolError may name paths of this machine.
    const isForShow = cause instanceof ToolError || cause instanceof CheckoutError;
    const why = isForShow ? cause.message : `The tool ${tool.name} failed.`;
    const isFull = cause instanceof ToolError && hasNoRoom(cause.cause);
    return { ok: false, text: `error: ${why}`, ...(isFull ? { fullDisk: cause } : {}) };
  }
}

/** At most `MAX_RESULT_BYTES`, cut between characters, with a note of what is missing. */
export function boundResult(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_RESULT_BYTES) return text;
  const note = `\n[cut: this is the beginning of ${bytes} bytes]`;
  const kept = Buffer.from(text).subarray(0, MAX_RESULT_BYTES - Buffer.byteLength(note));
  return new TextDecoder().decode(kept, { stream: true }) + note;
}
