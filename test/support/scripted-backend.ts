// A backend that does what a test tells it: the stand-in for a model, and for nothing else.

import type { Backend, BackendOutcome, BackendTask } from "../../src/service/executor/backend.ts";
import { offlineBackend } from "../../src/service/executor/backends/offline/offline.ts";

/** Runs `script` for every run, without a checkout. */
export function scriptedBackend(script: (task: BackendTask) => Promise<void>): Backend {
  return {
    name: "scripted",
    needsCheckout: false,
    run: async (task): Promise<BackendOutcome> => {
      await script(task);
      return { stopReason: "end_turn" };
    },
  };
}

/** Writes one whole text message, in these deltas. */
export async function say(
  task: Pick<BackendTask, "emit" | "nextId">,
  ...deltas: readonly string[]
): Promise<void> {
  const messageId = task.nextId("message");
  await task.emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  for (const delta of deltas) await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  await task.emit({ type: "TEXT_MESSAGE_END", messageId });
}

/** Resolves when the run is told to stop. */
export async function untilStopped(task: BackendTask): Promise<void> {
  if (task.signal.aborted) return;
  await new Promise<void>((resolve) => {
    task.signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Answers with the briefing of the backend that has no model, as if a model had written it. */
export const briefingBackend: Backend = {
  ...offlineBackend,
  needsCheckout: true,
  run: async (task, checkout): Promise<BackendOutcome> => {
    if (!offlineBackend.needsCheckout) throw new TypeError("The offline backend needs a checkout.");
    await offlineBackend.run(task, checkout);
    return { stopReason: "end_turn" };
  },
};
