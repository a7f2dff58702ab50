// The backend that does nothing, for benchmarks and load tests: no clone, no model, one short message.

import type { Backend } from "../backend.ts";

const ANSWER =
  "This service runs the `noop` backend, which measures the service itself: the repository was not read and the request was not executed.";

/** Answers at once with one text message that says so. */
export const noopBackend: Backend = {
  name: "noop",
  needsCheckout: false,
  async run(task) {
    task.signal.throwIfAborted();
    const messageId = task.nextId("message");
    await task.emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: ANSWER });
    await task.emit({ type: "TEXT_MESSAGE_END", messageId });
    return { stopReason: "end_turn" };
  },
};
