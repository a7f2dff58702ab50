// Where a reader of a run in flight goes on: nothing is missing after it, and nothing twice.

import { describe, expect, it } from "vitest";
import type { RunEvent, StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { RunReportFold } from "../../src/report/fold-run.ts";
import { resumption } from "../../src/report/resumption.ts";
import { replyMessage } from "../../src/report/run-report.ts";

const events: readonly RunEvent[] = [
  { type: "RUN_STARTED", threadId: "t", runId: "r" },
  { type: "STEP_STARTED", stepName: "Work" },
  { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "First" },
  { type: "TEXT_MESSAGE_END", messageId: "m1" },
  { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "read_file" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: "{}" },
  { type: "TOOL_CALL_END", toolCallId: "c1" },
  { type: "TOOL_CALL_START", toolCallId: "c2", toolCallName: "read_file" },
  { type: "TOOL_CALL_RESULT", messageId: "x", toolCallId: "c1", content: "one", role: "tool" },
  { type: "CUSTOM", name: "notice", value: { text: "waits" } },
  { type: "TOOL_CALL_RESULT", messageId: "y", toolCallId: "c2", content: "two", role: "tool" },
  { type: "STEP_FINISHED", stepName: "Work" },
  { type: "TEXT_MESSAGE_START", messageId: "m2", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m2", delta: "Second" },
  { type: "TEXT_MESSAGE_END", messageId: "m2" },
  { type: "TOOL_CALL_START", toolCallId: "c3", toolCallName: "run_command" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c3", delta: "{}" },
  { type: "TOOL_CALL_END", toolCallId: "c3" },
  {
    type: "CUSTOM",
    name: "resumed",
    value: { turn: 2, after: "lost_worker", unknown_calls: ["run_command"] },
  },
  { type: "TEXT_MESSAGE_START", messageId: "m2", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m2", delta: "Third" },
  { type: "TEXT_MESSAGE_END", messageId: "m2" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "success" } },
];
const stored: readonly StoredRunEvent[] = events.map((event, index) => ({
  seq: index + 1,
  at: new Date(1_000 * (index + 1)).toISOString(),
  event,
}));

function foldOf(some: readonly StoredRunEvent[], fold = new RunReportFold()): RunReportFold {
  for (const one of some) fold.add(one);
  return fold;
}

describe("a reader who was shown a run so far", () => {
  it.each(stored.map(({ seq }) => seq))("goes on from event %i as if it had read all", (lastSeq) => {
    const { after, known } = resumption(foldOf(stored.slice(0, lastSeq)).report, lastSeq);
    expect(after).toBeLessThanOrEqual(lastSeq);
    // As a page carries it.
    const carried = JSON.parse(JSON.stringify(known));
    const { report } = foldOf(stored.slice(after), new RunReportFold(carried));
    const whole = foldOf(stored).report;
    expect(report.state).toEqual(whole.state);
    expect(replyMessage(report)).toEqual(replyMessage(whole));
    expect(report.steps).toEqual(whole.steps);
    expect(report.calls.map(({ seq, title, endedAtMs }) => [seq, title, endedAtMs])).toEqual(
      whole.calls.map(({ seq, title, endedAtMs }) => [seq, title, endedAtMs]),
    );
    // What is drawn anew is whole.
    for (const call of report.calls.filter(({ seq }) => seq > after))
      expect(call).toEqual(whole.calls.find(({ seq }) => seq === call.seq));
    expect(report.messages.filter(({ isWhole }) => !isWhole)).toEqual([]);
  });

  it("reads a call again that had no result, and what came after its start", () => {
    expect(resumption(foldOf(stored.slice(0, 11)).report, 11).after).toBe(8);
    expect(resumption(foldOf(stored.slice(0, 12)).report, 12).after).toBe(12);
  });
});
