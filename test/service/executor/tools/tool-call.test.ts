import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { defineTool, ToolError } from "../../../../src/service/executor/tools/tool.ts";
import { callTool, MAX_RESULT_BYTES } from "../../../../src/service/executor/tools/tool-call.ts";
import { folderCheckout } from "./folder-checkout.ts";
import { TaskRecorder } from "./task-recorder.ts";

const checkout = await folderCheckout({});
afterAll(() => checkout.close());

function toolThat(find: (input: { word: string }) => Promise<string>) {
  const input = z.object({ word: z._default(z.string(), "none") });
  return defineTool({ name: "probe", description: "", input, find, format: (text: string) => `<${text}>` });
}

describe("callTool", () => {
  it("emits start, arguments, end and result around the tool", async () => {
    const recorder = new TaskRecorder();
    const tool = toolThat(async ({ word }) => word.toUpperCase());
    const outcome = await callTool({ task: recorder.task(), tool, input: { word: "hi" }, checkout });
    expect(outcome).toEqual({ ok: true, value: "HI", text: "<HI>" });
    expect(recorder.events).toEqual([
      { type: "TOOL_CALL_START", toolCallId: "call-1", toolCallName: "probe" },
      { type: "TOOL_CALL_ARGS", toolCallId: "call-1", delta: '{"word":"hi"}' },
      { type: "TOOL_CALL_END", toolCallId: "call-1" },
      {
        type: "TOOL_CALL_RESULT",
        messageId: "message-2",
        toolCallId: "call-1",
        content: "<HI>",
        role: "tool",
      },
    ]);
    expect(recorder.faults()).toEqual([]);
  });

  it.each([
    [new ToolError("not_found", "There is no such word."), "error: There is no such word."],
    [new Error("ENOENT: /srv/data/secret-place"), "error: The tool probe failed."],
  ])("makes a text of %s", async (error, text) => {
    const recorder = new TaskRecorder();
    const tool = toolThat(() => Promise.reject(error));
    const outcome = await callTool({ task: recorder.task(), tool, input: {}, checkout });
    expect(outcome).toEqual({ ok: false, text });
    expect(recorder.events.at(-1)).toMatchObject({ type: "TOOL_CALL_RESULT", content: text });
    expect(recorder.faults()).toEqual([]);
  });

  it.each([[{ word: 1 }], ["text"], [[]]])("answers the wrong input %j", async (input) => {
    const recorder = new TaskRecorder();
    const tool = toolThat(async (decoded) => decoded.word);
    const outcome = await callTool({ task: recorder.task(), tool, input, checkout });
    expect(outcome.ok).toBe(false);
    expect(outcome.text).toMatch(/^error: The input of probe is wrong: (input|word): /);
    expect(recorder.faults()).toEqual([]);
  });

  it("bounds a result by bytes, between characters", async () => {
    const recorder = new TaskRecorder();
    const tool = toolThat(async () => "€".repeat(MAX_RESULT_BYTES));
    const { text } = await callTool({ task: recorder.task(), tool, input: {}, checkout });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_RESULT_BYTES);
    expect(text).toMatch(/€\n\[cut: this is the beginning of 196610 bytes\]$/);
    expect(text).not.toContain("\ufffd");
  });

  it("rejects with the reason of an abort, and leaves no call open", async () => {
    const recorder = new TaskRecorder();
    const tool = toolThat(async () => {
      recorder.controller.abort(new Error("cancelled"));
      return "late";
    });
    await expect(callTool({ task: recorder.task(), tool, input: {}, checkout })).rejects.toThrow("cancelled");
    expect(recorder.types()).toEqual(["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]);
    await expect(callTool({ task: recorder.task(), tool, input: {}, checkout })).rejects.toThrow("cancelled");
    expect(recorder.events).toHaveLength(3);
  });
});
