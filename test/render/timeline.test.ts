import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import { MAX_CALL_BARS, MAX_STEP_BARS, timeline } from "../../src/render/timeline.ts";
import { emptyReport } from "../../src/report/run-report.ts";
import {
  briefing,
  call,
  callStart,
  cancelled,
  message,
  reportOf,
  started,
  stored,
  succeeded,
} from "./streams.ts";

const LINE =
  /^(?:gantt| {2}(?:title Seconds since the start, [\d.]+ (?:s|min \d\d s|h \d\d min) in all|dateFormat x|axisFormat (?:%s|%S\.%L)|section (?:Steps|Tool calls))| {4}(?:Step )?\d+ [\p{L}\p{N}_./-]+(?: [\p{L}\p{N}_./-]+)* :(?:(?:crit|active), )?(\d+), (\d+))$/u;

function barsOf(source: string): { name: string; startMs: number; endMs: number }[] {
  return source.split("\n").flatMap((line) => {
    const match = LINE.exec(line);
    if (match === null) throw new Error(`Not a safe line: ${JSON.stringify(line)}`);
    return match[1] === undefined
      ? []
      : [{ name: line.trim(), startMs: Number(match[1]), endMs: Number(match[2]) }];
  });
}

function runOf(events: readonly RunEvent[], stepMs?: number): string {
  return timeline(reportOf(stored(events, stepMs)));
}

describe("timeline", () => {
  it("draws nothing for a run without steps or calls", () => {
    expect(timeline(emptyReport())).toBe("");
    expect(runOf([started, ...message("m", "x"), succeeded])).toBe("");
  });

  it("draws a bar for each step and call", () => {
    expect(barsOf(timeline(reportOf(briefing)))).toHaveLength(7);
  });

  it("marks what the end of the run cut off", () => {
    const source = runOf([started, ...callStart("c", "run", { command: "make" }), cancelled]);
    expect(source).toContain("1 run make :crit, 250, 1250");
  });

  it("marks a call that failed", () => {
    const failing = call("c", "run_command", { args: { command: "make" }, result: "no rule\n[exit code 2]" });
    const fine = call("d", "run_command", { args: { command: "ls" }, result: "a\n[exit code 0]" });
    const refused = call("e", "read_file", { args: { path: "x" }, result: "error: there is no file x" });
    const source = runOf([started, ...failing, ...fine, ...refused, succeeded]);
    expect(source).toMatch(/1 make :crit, /);
    expect(source).toMatch(/2 ls :\d/);
    expect(source).toMatch(/3 read_file x :crit, /);
  });

  it("marks what still runs in a run that goes on", () => {
    expect(runOf([started, ...callStart("c", "run", {})])).toContain(":active, ");
  });

  it("gives a call without duration a visible bar", () => {
    const bars = barsOf(runOf([started, ...call("c", "run", { args: {}, result: "" }), succeeded], 0));
    expect(bars).toEqual([{ name: "1 run :0, 1", startMs: 0, endMs: 1 }]);
  });

  it("merges bars beyond the maximum into one", () => {
    const calls = Array.from({ length: 100 }, (_, index) =>
      call(`c${index}`, "run", { args: {}, result: "" }),
    );
    const bars = barsOf(runOf([started, ...calls.flat(), succeeded]));
    expect(bars).toHaveLength(MAX_CALL_BARS);
    expect(bars.at(-1)?.name).toMatch(/^30 and 71 more :/);
  });

  it("keeps any label to an alphabet that cannot break the chart", () => {
    const label = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "section a",
        "click x",
        "a:b;c#d",
        "%%{init: {}}%%",
        "2026-01-01",
        '"',
        "<b>",
        "",
        "\n",
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(label, label), { maxLength: 60 }), (pairs) => {
        const events = pairs.flatMap(([name, value], index): RunEvent[] => [
          { type: "STEP_STARTED", stepName: name },
          ...call(`c${index}`, name, { args: { value }, result: value }),
        ]);
        const bars = barsOf(runOf([started, ...events, { type: "STEP_STARTED", stepName: "x" }]));
        expect(bars.length).toBeLessThanOrEqual(MAX_CALL_BARS + MAX_STEP_BARS);
        for (const bar of bars) expect(bar.endMs).toBeGreaterThan(bar.startMs);
      }),
    );
  });

  it("survives times that run backwards", () => {
    const events = stored([started, ...call("c", "run", { args: {}, result: "" }), succeeded], -100);
    expect(barsOf(timeline(reportOf(events)))).toHaveLength(1);
  });
});
