// Steps and messages of a run as events. What was begun is ended, also when the work between fails.

import type { RunEvent } from "../../../../contract/runs/run-event.ts";
import type { BackendTask } from "../../backend.ts";

type Stream = Pick<BackendTask, "emit" | "nextId" | "signal">;

type Step<Value> = { readonly name: string; work(): Promise<Value> };

/** Does one step of the run between STEP_STARTED and STEP_FINISHED. Rejects with the signal's reason once aborted. */
export async function takeStep<Value>(stream: Stream, step: Step<Value>): Promise<Value> {
  stream.signal.throwIfAborted();
  const stepName = step.name;
  await stream.emit({ type: "STEP_STARTED", stepName });
  return await endWith(stream, { end: { type: "STEP_FINISHED", stepName }, work: step.work });
}

/** Sends one assistant message, a delta a part. */
export async function sendMessage(stream: Stream, parts: Iterable<string>): Promise<void> {
  stream.signal.throwIfAborted();
  const messageId = stream.nextId("message");
  await stream.emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  const work = async () => {
    for (const delta of parts) {
      stream.signal.throwIfAborted();
      if (delta !== "") await stream.emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
    }
  };
  await endWith(stream, { end: { type: "TEXT_MESSAGE_END", messageId }, work });
}

type Begun<Value> = { readonly end: RunEvent; work(): Promise<Value> };

async function endWith<Value>(stream: Stream, { end, work }: Begun<Value>): Promise<Value> {
  let value: Value;
  try {
    value = await work();
    stream.signal.throwIfAborted();
  } catch (cause) {
    // The first failure counts: a stream that takes no more events must not hide it.
    await stream.emit(end).catch(() => undefined);
    throw cause;
  }
  await stream.emit(end);
  return value;
}
