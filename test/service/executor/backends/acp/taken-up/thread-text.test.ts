import { describe, expect, it } from "vitest";
import { ThreadText } from "../../../../../../src/service/executor/backends/acp/taken-up/thread-text.ts";

function say(thread: ThreadText, delta: string): void {
  thread.add({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
  thread.add({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
  thread.add({ type: "TEXT_MESSAGE_END", messageId: "m" });
}

function callTool(thread: ThreadText, toolCallId: string): void {
  thread.add({ type: "TOOL_CALL_START", toolCallId, toolCallName: "execute" });
  thread.add({ type: "TOOL_CALL_ARGS", toolCallId, delta: '{"command":"make"}' });
  thread.add({ type: "TOOL_CALL_END", toolCallId });
}

describe("a thread as text", () => {
  it("has what was said and done in its order, after what an earlier worker left, and what is open last", () => {
    const thread = new ThreadText("You said: Earlier.");
    callTool(thread, "a");
    callTool(thread, "b");
    say(thread, "Both are at work.");
    thread.add({ type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "b", content: "made", role: "tool" });
    thread.add({ type: "TEXT_MESSAGE_START", messageId: "n", role: "assistant" });
    thread.add({ type: "TEXT_MESSAGE_CONTENT", messageId: "n", delta: "I am" });
    expect(thread.text.split("\n\n")).toEqual([
      "You said: Earlier.",
      "You said: Both are at work.",
      'You called execute {"command":"make"}\nResult: made',
      "You said: I am",
      'You called execute {"command":"make"}\nResult: [Its result is not known.]',
    ]);
  });

  it("loses its beginning where it is long, and says so", () => {
    const thread = new ThreadText();
    for (let at = 1; at <= 50; at += 1) say(thread, `${at} ${"x".repeat(2_000)}`);
    const parts = thread.text.split("\n\n");
    expect(parts[0]).toBe("[What came before is left out.]");
    expect(parts.at(-1)).toMatch(/^You said: 50 x/);
    expect(thread.text.length).toBeLessThan(41_000);
  });
});
