import { describe, expect, it } from "vitest";
import type { RunStatus } from "../../../src/contract/runs/run.ts";
import type { RunEvent, WrittenEvent } from "../../../src/contract/runs/run-event.ts";
import { EventWriter, StreamLimitError } from "../../../src/service/executor/event-writer.ts";

type Batch = {
  readonly events: readonly WrittenEvent[];
  answer(status: RunStatus | null): void;
  fail(cause: Error): void;
};

/** A writer whose appends the test answers. */
function makeWriter() {
  const batches: Batch[] = [];
  const statuses: (RunStatus | null)[] = [];
  let watcher = () => {};
  const writer = new EventWriter({
    append: (events) =>
      new Promise((resolve, reject) => {
        batches.push({ events, answer: resolve, fail: reject });
        watcher();
      }),
    onStatus: (status) => statuses.push(status),
  });
  const batch = async (index: number): Promise<Batch> => {
    for (;;) {
      const found = batches[index];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        watcher = resolve;
      });
    }
  };
  return { writer, batches, statuses, batch };
}

const step = (stepName: string): RunEvent => ({ type: "STEP_STARTED", stepName });
const text = (delta: string): RunEvent => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });

describe("EventWriter", () => {
  it("writes what came at once in one append, and what came meanwhile in the next, in order", async () => {
    const { writer, batch, batches, statuses } = makeWriter();
    await writer.emit(step("a"));
    await writer.emit(step("b"));
    const first = await batch(0);
    await writer.emit(step("c"));
    await writer.emit(step("d"));
    expect(batches).toHaveLength(1);
    first.answer("running");
    const second = await batch(1);
    second.answer("cancelling");
    expect([first.events, second.events]).toEqual([
      [step("a"), step("b")],
      [step("c"), step("d")],
    ]);
    const rest = await writer.close();
    expect(statuses).toEqual(["running", "cancelling"]);
    expect(rest.map(({ type }) => type)).toEqual(Array(4).fill("STEP_FINISHED"));
  });

  it("holds an event until something is committed with it, and gives it back where nothing was", async () => {
    const { writer, batch, batches } = makeWriter();
    const told = {
      turn: 1,
      role: "executor",
      uncached_input_tokens: 1,
      cached_input_tokens: 0,
      output_tokens: 1,
    };
    const event = { type: "CUSTOM", name: "turn_usage", value: told } as WrittenEvent;
    writer.hold([event]);
    await writer.emit(step("a"));
    (await batch(0)).answer("running");
    expect(batches.map(({ events }) => events)).toEqual([[step("a")]]);
    const kept: (readonly WrittenEvent[])[] = [];
    await writer.writeWith(async (events) => {
      kept.push(events);
      return "running";
    });
    expect(kept).toEqual([[event]]);
    expect(writer.held).toEqual([]);
    writer.hold([event]);
    expect((await writer.close()).map(({ type }) => type)).toEqual(["STEP_FINISHED"]);
    expect(writer.held).toEqual([event]);
  });

  it("waits when a megabyte is unwritten", async () => {
    const { writer, batch } = makeWriter();
    let isThrough = false;
    const emitting = writer.emit(text("x".repeat(1_000_001))).then(() => {
      isThrough = true;
    });
    const first = await batch(0);
    expect(isThrough).toBe(false);
    first.answer("running");
    await emitting;
  });

  it("gives back what it had no time to write, with what closes it", async () => {
    const { writer, batches } = makeWriter();
    await writer.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    await writer.emit(text("hello"));
    await writer.emit({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "look" });
    expect((await writer.close()).map(({ type }) => type)).toEqual([
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TOOL_CALL_START",
      "TEXT_MESSAGE_END",
      "TOOL_CALL_END",
    ]);
    await writer.emit(text("late"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toEqual([]);
  });

  it("takes nothing more after a write failed, and does not pretend to know what is stored", async () => {
    const { writer, batch, batches, statuses } = makeWriter();
    await writer.emit(step("a"));
    const cause = new Error("The store is away.");
    (await batch(0)).fail(cause);
    await new Promise((resolve) => setImmediate(resolve));
    expect(statuses).toEqual([null]);
    await expect(writer.emit(step("b"))).rejects.toBe(cause);
    await expect(writer.close()).rejects.toBe(cause);
    expect(batches).toHaveLength(1);
  });

  it("refuses to write more than 64 million characters", async () => {
    const { writer } = makeWriter();
    await writer.emit(step("a"));
    await expect(writer.emit(text("x".repeat(64_000_000)))).rejects.toThrow(StreamLimitError);
    const [kept] = await writer.close();
    expect(kept).toEqual(step("a"));
  });
});
