import { describe, expect, it } from "vitest";
import type { ForeignEvent, RunEvent, StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { MAX_KEPT_CHARS, MAX_KEPT_CHARS_IN_ALL } from "../../src/report/fold-run.ts";
import { elapsedMs, emptyReport, replyMessage } from "../../src/report/run-report.ts";
import {
  briefing,
  call,
  callResult,
  callStart,
  cancellation,
  failure,
  message,
  quotaEnd,
  reportOf,
  resumed,
  started,
  stored,
  succeeded,
  takenUp,
} from "../render/streams.ts";
import { samples } from "./secret-samples.ts";

describe("RunReportFold", () => {
  it("holds nothing before the first event", () => {
    expect(emptyReport().state).toEqual({ status: "unknown" });
    expect(replyMessage(emptyReport())).toBeNull();
    expect(elapsedMs(emptyReport())).toBeNull();
  });

  it("holds what a successful run did", () => {
    const report = reportOf(briefing);
    expect(report).toMatchObject({ runId: "run-1", threadId: "thread-1", state: { status: "completed" } });
    expect(report.calls.map((each) => each.title)).toEqual([
      "list_files .",
      "read_file src/greeting.ts",
      "search greet\\( 20",
      "write src/greeting.ts",
      "run npm test",
    ]);
    expect(report.steps.map((step) => step.name)).toEqual(["Look around", "Change"]);
    expect(report.steps.every((step) => step.endedAtMs !== null)).toBe(true);
    expect(report.changes?.files).toHaveLength(3);
    expect(report.quota).toEqual({ credits_remaining: 488, claim_url: null });
    expect(elapsedMs(report)).toBe((briefing.length - 1) * 250);
  });

  it("uses the last message with text as the reply and keeps the earlier ones", () => {
    const report = reportOf(
      stored([started, ...message("a", "one"), ...message("b", "two"), ...message("c", " \n")]),
    );
    expect(replyMessage(report)?.text).toBe("two");
    expect(report.messages.map((each) => each.text)).toEqual(["one", "two", " \n"]);
  });

  it("holds message and cause of a failure", () => {
    expect(reportOf(failure).state).toMatchObject({
      status: "failed",
      cause: "backend_error",
      message: "The model's server answered 529: overloaded.",
    });
  });

  it("leaves calls and steps open that a cancellation cut off", () => {
    const report = reportOf(cancellation);
    expect(report.state.status).toBe("cancelled");
    expect(report.calls.map((each) => [each.result, each.endedAtMs])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(report.steps[0]?.endedAtMs).toBeNull();
  });

  it("keeps the claim URL of an ended quota", () => {
    expect(reportOf(quotaEnd).quota?.claim_url).toBe("https://app.example.com/claim/abc_123");
  });

  it("ignores events of a kind it does not know", () => {
    const foreign: StoredRunEvent = {
      seq: 2,
      at: "2026-01-01T00:00:00.000Z",
      event: { type: "NEW" } as unknown as ForeignEvent,
    };
    const report = reportOf([...stored([started]), foreign]);
    expect(report.state.status).toBe("running");
    expect(report.messages).toEqual([]);
  });

  it("ends what a lost worker had begun, and reads what is written anew as a message of its own", () => {
    const report = reportOf(takenUp);
    expect(replyMessage(report)?.text).toBe("It is deployed.");
    expect(report.messages.map(({ id, text, isWhole }) => [id, text, isWhole])).toEqual([
      ["m1", "I look at the code.\n", true],
      ["m2", "The dep", true],
      ["m2", "The deployment is not known to have ended.\n", true],
      ["m3", "It is deployed.", true],
    ]);
    const at = takenUp.findIndex(({ event }) => event.type === "CUSTOM");
    const atMs = Date.parse(takenUp[at]?.at ?? "");
    expect(report.calls.map(({ id, isCutOff, result }) => [id, isCutOff, result === null])).toEqual([
      ["c1", true, true],
      ["c2", true, true],
      ["c3", false, false],
    ]);
    expect(report.calls.slice(0, 2).map(({ endedAtMs }) => endedAtMs)).toEqual([atMs, atMs]);
    expect(report.steps.every(({ endedAtMs }) => endedAtMs !== null)).toBe(true);
    expect(report.resumptions).toEqual([
      { seq: at + 1, turn: 7, after: "lost_worker", unknownCalls: ["run_command"], message: null },
      { seq: 28, turn: 8, after: "handover", unknownCalls: [], message: null },
    ]);
  });

  it("knows what a parked run asks, what it was told, and counts no time at which it was parked", () => {
    const secret = samples["a GitHub token"]?.[0] ?? "";
    const parkedAt = (index: number): RunEvent => {
      const since = stored([started])[0]?.at ?? "";
      const at = new Date(Date.parse(since) + index * 250).toISOString();
      const value = { reason: "question", since: at, until: at, how_to_continue: "Answer it." };
      return { type: "CUSTOM", name: "parked", value };
    };
    const asked: RunEvent = {
      type: "CUSTOM",
      name: "question",
      value: { question: `Is ${secret} right?`, choices: [secret, "no"] },
    };
    const told: RunEvent = {
      type: "CUSTOM",
      name: "resumed",
      value: { turn: 2, after: "parked", unknown_calls: [], message: secret },
    };
    const waiting = stored([started, asked, parkedAt(2)]);
    expect(reportOf(waiting)).toMatchObject({ parked: { reason: "question" }, parkedMs: 0 });
    expect(elapsedMs(reportOf(waiting))).toBe(2 * 250);
    expect(reportOf(waiting).question?.choices).toEqual([expect.not.stringContaining(secret), "no"]);
    const late = (events: readonly StoredRunEvent[], ms: number) =>
      events.map((one, index) => ({
        ...one,
        seq: waiting.length + 1 + index,
        at: new Date(Date.parse(waiting.at(-1)?.at ?? "") + ms + index * 250).toISOString(),
      }));
    const continued = reportOf([...waiting, ...late(stored([told, ...message("m", "Done.")]), 86_400_000)]);
    expect(continued).toMatchObject({ parked: null, parkedMs: 86_400_000 });
    expect(elapsedMs(continued)).toBe(5 * 250);
    const overdue = reportOf([...waiting, ...late(stored([succeeded]), 1_209_600_000)]);
    expect(overdue).toMatchObject({ parked: null, state: { status: "completed" } });
    expect(elapsedMs(overdue)).toBe(2 * 250);
    expect(JSON.stringify([reportOf(waiting), continued, overdue])).not.toContain(secret);
  });

  it("takes the result of a call that was cut off, if one comes", () => {
    const [only] = reportOf(
      stored([
        started,
        ...callStart("c", "deploy", {}),
        resumed(2, "lost_worker", "deploy"),
        callResult("c", "done"),
      ]),
    ).calls;
    expect(only).toMatchObject({ isCutOff: false, result: { text: "done" } });
  });

  it("keeps the newest of very many times that a run was taken up again, without secrets", () => {
    const events = Array.from({ length: 150 }, (_, at) => resumed(at + 1, "handover"));
    const { resumptions } = reportOf(stored([started, ...events]));
    expect(resumptions).toHaveLength(100);
    expect(resumptions.at(-1)?.turn).toBe(150);
    for (const secret of Object.values(samples)
      .flat()
      .filter(({ length }) => length <= 200)) {
      const [one] = reportOf(stored([resumed(1, "lost_worker", secret)])).resumptions;
      expect(one?.unknownCalls.join()).not.toContain(secret);
    }
  });

  it("ignores deltas and results without a message or call", () => {
    const report = reportOf(
      stored([
        { type: "TEXT_MESSAGE_CONTENT", messageId: "x", delta: "x" },
        { type: "TOOL_CALL_ARGS", toolCallId: "x", delta: "x" },
        { type: "TOOL_CALL_END", toolCallId: "x" },
        { type: "TOOL_CALL_RESULT", toolCallId: "x", messageId: "x", content: "x", role: "tool" },
        { type: "STEP_FINISHED", stepName: "x" },
      ]),
    );
    expect(report).toMatchObject({ messages: [], calls: [], steps: [] });
  });

  it("keeps the beginning of a long result and counts the rest", () => {
    const [only] = reportOf(stored(call("c", "cat", { args: {}, result: "😀".repeat(1_000_000) }))).calls;
    expect(only?.result?.text.length).toBe(MAX_KEPT_CHARS);
    expect(only?.result?.omittedChars).toBe(2_000_000 - MAX_KEPT_CHARS);
  });

  it("forgets the oldest results once all together are too long", () => {
    const count = MAX_KEPT_CHARS_IN_ALL / MAX_KEPT_CHARS + 10;
    const result = "x".repeat(MAX_KEPT_CHARS);
    const events = Array.from({ length: count }, (_, index) =>
      call(`c${index}`, "cat", { args: {}, result }),
    ).flat();
    const { calls } = reportOf(stored(events));
    expect(calls[0]?.result).toEqual({ text: "", omittedChars: MAX_KEPT_CHARS });
    expect(calls.at(-1)?.result?.text).toBe(result);
  });

  it("makes a call's title from its whole arguments, however they are split into deltas", () => {
    const [only] = reportOf(
      stored(callStart("c", "write", { content: "a\nb".repeat(9_000), path: "x.ts" })),
    ).calls;
    expect(only?.title).toBe("write x.ts");
    expect(only?.args.text.length).toBe(MAX_KEPT_CHARS);
  });
});
