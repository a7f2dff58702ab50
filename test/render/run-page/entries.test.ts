import { describe, expect, it } from "vitest";
import { entriesOf } from "../../../src/render/run-page/entries.ts";
import { entryList } from "../../../src/render/run-page/entry-list.ts";
import { groupEntries } from "../../../src/render/run-page/grouping.ts";
import { waterfall } from "../../../src/render/run-page/waterfall.ts";
import { reportOf, resumed, stored, takenUp } from "../streams.ts";

const shown = (events = takenUp) =>
  JSON.stringify(
    entryList(entriesOf(reportOf(events)), { base: "/runs/r", facts: { reply: null, checks: new Map() } }),
  );

describe("the entries of a run", () => {
  it("say where it was taken up again, in their order", () => {
    const entries = entriesOf(reportOf(takenUp));
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect(entries.flatMap((entry) => (entry.kind === "notice" ? [entry.notice.text] : []))).toEqual([
      "The run was taken up again at turn 7: its worker was lost. Calls whose result is not known, and which are not repeated: run_command.",
      "The run goes on at turn 8 on another worker: its own was stopped.",
    ]);
    expect(entries.map(({ kind }) => kind).slice(0, 7)).toEqual([
      "step",
      "message",
      "call",
      "call",
      "message",
      "notice",
      "message",
    ]);
  });

  it("show no call of the lost worker as if it went on", () => {
    const running = takenUp.slice(0, -1);
    const report = reportOf(running);
    expect(shown(running)).toContain("no result");
    expect(shown(running)).not.toContain("is executed");
    const timeline = waterfall(report, groupEntries(entriesOf(report)));
    expect(JSON.stringify(timeline)).not.toContain("goes on");
  });

  it("show names of tools without hidden characters", () => {
    expect(shown(stored([resumed(1, "lost_worker", "a\u202E\u0000b")]))).not.toMatch(/\u202E|\\u0000/);
  });
});
