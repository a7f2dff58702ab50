import { expect, it } from "vitest";
import { noopBackend } from "../../../../src/service/executor/backends/noop.ts";
import { TaskRecorder } from "../tools/task-recorder.ts";

async function run(recorder: TaskRecorder) {
  if (noopBackend.needsCheckout) throw new Error("noop needs no checkout.");
  return await noopBackend.run(recorder.task(), null);
}

it("answers at once, and says that nothing was done", async () => {
  const recorder = new TaskRecorder();
  expect(await run(recorder)).toEqual({ stopReason: "end_turn" });
  expect(recorder.types()).toEqual(["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]);
  expect(recorder.text()).toContain("the request was not executed");
  expect(recorder.faults()).toEqual([]);
});

it("does nothing for a run that was cancelled", async () => {
  const recorder = new TaskRecorder();
  recorder.controller.abort(new Error("cancelled"));
  await expect(run(recorder)).rejects.toThrow("cancelled");
  expect(recorder.events).toEqual([]);
});
