// Rows of a run's list: what is one row, what is folded, and that a list which grows is the list that is drawn at the end.

import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/contract/runs/run-event.ts";
import { toHtml } from "../../../src/render/html/element.ts";
import { entriesOf } from "../../../src/render/run-page/entries.ts";
import { EntryList, entryList, type ListFacts } from "../../../src/render/run-page/entry-list.ts";
import { type GroupedRow, groupEntries, type Part } from "../../../src/render/run-page/grouping.ts";
import { waterfall } from "../../../src/render/run-page/waterfall.ts";
import { RunReportFold } from "../../../src/report/fold-run.ts";
import { resumption } from "../../../src/report/resumption.ts";
import {
  call,
  callStart,
  message,
  notice,
  reportOf,
  resumed,
  started,
  stored,
  succeeded,
} from "../streams.ts";
import { randomRun, thought } from "./step-streams.ts";

const facts: ListFacts = { reply: null, checks: new Map() };
const read = (id: string, path = `src/${id}.ts`, result = "text") =>
  call(id, "read_file", { args: { path }, result });
const search = (id: string) => call(id, "search", { args: { pattern: id }, result: "found" });
const test = (id: string, code: number) =>
  call(id, "run_command", { args: { command: "npm test" }, result: `out\n[exit code ${code}]` });

/** A row in few words: what was said, then its calls; a fold in brackets. */
function words(row: GroupedRow): string {
  if (row.kind === "single") return row.entry.kind;
  const { lead, parts } = row;
  const said = lead === null ? [] : [`"${lead.entry.message.text}"`];
  const thoughts = lead?.thoughts.map(() => "thought") ?? [];
  return [...thoughts, ...said, ...parts.map(partWords)].join(" ");
}

function partWords(part: Part): string {
  if (part.kind === "reads") return `[${part.items.map(({ entry }) => entry.call.id).join(" ")}]`;
  const thoughts = part.item.thoughts.map(() => "thought ");
  return `${thoughts.join("")}${part.item.entry.call.id}`;
}

const rowsOf = (events: readonly RunEvent[]) => groupEntries(entriesOf(reportOf(stored(events))));
const htmlOf = (events: readonly RunEvent[], given: Partial<ListFacts> = {}) =>
  toHtml(entryList(entriesOf(reportOf(stored(events))), { base: "/r", facts: { ...facts, ...given } }));

describe("the rows of a run", () => {
  it.each<[string, readonly RunEvent[], readonly string[]]>([
    ["a message with its calls", [...message("m", "I test."), ...test("a", 0)], ['"I test." a']],
    [
      "two reads or more in a row as one",
      [...message("m", "Look."), ...read("a"), ...search("b")],
      ['"Look." [a b]'],
    ],
    ["one read by itself", [...read("a"), ...test("b", 0)], ["a b"]],
    [
      "reads on both sides of a command apart",
      [...read("a"), ...read("b"), ...test("c", 0), ...read("d"), ...read("e")],
      ["[a b] c [d e]"],
    ],
    [
      "a read that failed outside of the fold",
      [...read("a"), ...read("b"), ...read("c", "x", "error: no file"), ...read("d")],
      ["[a b] c d"],
    ],
    [
      "a read under way in the fold",
      [...read("a"), ...callStart("b", "read_file", { path: "b" })],
      ["[a b]"],
    ],
    [
      "a read that was cut off outside of it",
      [...read("a"), ...callStart("b", "read_file", { path: "b" }), resumed(2, "lost_worker")],
      ["a b", "notice"],
    ],
    [
      "a message between reads as the next row",
      [...read("a"), ...read("b"), ...message("m", "More."), ...read("c")],
      ["[a b]", '"More." c'],
    ],
    ["reads of several turns without a word as one", [...read("a"), ...read("b"), ...read("c")], ["[a b c]"]],
    [
      "thoughts with what follows them",
      [...thought("t", "Hm."), ...message("m", "So."), ...thought("u", "Hm."), ...test("a", 0)],
      ['thought "So." thought a'],
    ],
    ["thoughts that nothing follows", [...read("a"), ...thought("t", "Hm.")], ["a", "thought"]],
    [
      "a notice between calls as a row",
      [...read("a"), notice("It waits."), ...read("b")],
      ["a", "notice", "b"],
    ],
    [
      "a step as a heading",
      [...read("a"), { type: "STEP_STARTED", stepName: "Fix" }, ...read("b")],
      ["a", "step", "b"],
    ],
    ["an answer that said nothing not at all", [...message("m", ""), ...read("a")], ["a"]],
    [
      "tools of MCP servers by themselves",
      ["a", "b"].flatMap((id) => call(id, "mcp__x__get", { args: {}, result: "r" })),
      ["a b"],
    ],
  ])("has %s", (_what, events, expected) => {
    expect(rowsOf([started, ...events]).map(words)).toEqual(expected);
  });

  it("says what was read, a file once", () => {
    const reads = [
      ...read("a", "x.ts"),
      ...read("b", "x.ts"),
      ...read("c", "y.ts"),
      ...search("d"),
      ...search("e"),
    ];
    expect(htmlOf(reads)).toContain("Read 2 files, searched twice");
  });

  it("folds reads shut, and has failures open with the end of what they wrote first", () => {
    const long = `${Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n")}\n[exit code 3]`;
    const html = htmlOf([
      ...read("a"),
      ...read("b"),
      ...call("c", "run_command", { args: { command: "make" }, result: long }),
    ]);
    expect(html).toContain('<details class="done"><summary><span class="mark">✓</span> Read 2 files');
    expect(html).toContain(
      '<details class="failed" open><summary><span class="mark">✗</span> <code>$ make</code> <span class="chip bad">exit 3</span>',
    );
    expect(html).toMatch(/The end of its output<\/p><pre tabindex="0">line 85\n[^[]*line 99<\/pre>/);
    expect(html).toContain("Result: all of it");
  });

  it("has the end of a failed result that is longer than what is kept of it", () => {
    const long = `${"x".repeat(20_000)}\nthe last line\n[exit code 1]`;
    expect(htmlOf(call("c", "run_command", { args: { command: "make" }, result: long }))).toContain(
      "the last line</pre>",
    );
  });

  it("marks the commands that the record counts as checks", () => {
    const checks = new Map([["$ npm test", "test" as const]]);
    const html = htmlOf(
      [...test("a", 1), ...call("b", "run_command", { args: { command: "ls" }, result: "[exit code 0]" })],
      { checks },
    );
    expect(html.match(/☑ tests/g)).toHaveLength(1);
  });

  it("says of the reply that it is above, and has no raw JSON", () => {
    const events = [started, ...message("m", '{"label":"bug"}'), ...message("n", "Done."), succeeded];
    const reply = entriesOf(reportOf(stored(events))).at(-1)?.seq ?? 0;
    const html = htmlOf(events, { reply });
    expect(html).toContain("<dt>label</dt><dd>bug</dd>");
    expect(html).toContain('<a href="#reply">The reply is above.</a>');
    expect(html).not.toContain("Done.");
    expect(html).not.toContain("{&quot;");
  });

  it("keeps the links of turns at their entries, in a fold too", () => {
    const entries = entriesOf(reportOf(stored([...read("a"), ...read("b")])));
    const forks = new Map(entries.map(({ seq }) => [seq, `fork ${seq}`]));
    const html = toHtml(entryList(entries, { base: "/r", facts, forks }));
    for (const { seq } of entries) expect(html).toContain(`fork ${seq}<a class="anchor" href="#e${seq}"`);
  });
});

describe("the timeline", () => {
  it("has the rows of the list in its order, begins at 0, and is folded where it is long", () => {
    const events = [
      started,
      ...message("m", "Look."),
      ...read("a"),
      ...read("b"),
      ...test("c", 1),
      succeeded,
    ];
    const report = reportOf(stored(events));
    const html = toHtml(waterfall(report, groupEntries(entriesOf(report))));
    expect(
      [...html.matchAll(/<li class="([^"]+)"><a href="#(\w+)">([^<]+)</g)].map(([, ...found]) => found),
    ).toEqual([
      ["turn", "e2", "Look."],
      ["call part", "r5", "Read 2 files"],
      ["failed part", "e15", "✗ $ npm test"],
    ]);
    expect(html).toMatch(
      /^<details class="waterfall" open><summary>Timeline, 4\.8 s in all<\/summary><div class="axis"><div class="ticks"><span>0<\/span><span>1\.2 s</,
    );
    const list = toHtml(entryList(entriesOf(report), { base: "/r", facts }));
    for (const id of ["e2", "r5", "e15"]) expect(list).toContain(`id="${id}"`);
    const many = reportOf(
      stored([started, ...Array.from({ length: 41 }, (_, at) => test(`t${at}`, 0)).flat()]),
    );
    expect(toHtml(waterfall(many, groupEntries(entriesOf(many))))).toMatch(
      /^<details class="waterfall"><summary>/,
    );
  });
});

describe("a list that grows", () => {
  const seeds = Array.from({ length: 20 }, (_, at) => at + 1);

  it.each(seeds)("is after each event what is drawn whole then: seed %i", (seed) => {
    const fold = new RunReportFold();
    const list = new EntryList({ base: "/r", facts });
    for (const event of stored(randomRun(seed, 12))) {
      const before = new Map(entriesOf(fold.report).map((entry) => [entry.seq, JSON.stringify(entry)]));
      fold.add(event);
      const entries = entriesOf(fold.report);
      for (const entry of entries) if (before.get(entry.seq) !== JSON.stringify(entry)) list.take(entry);
      expect(toHtml(list.draw())).toBe(toHtml(entryList(entries, { base: "/r", facts })));
    }
  });

  it.each(seeds)("draws nothing anew that has not changed: seed %i", (seed) => {
    const list = new EntryList({ base: "/r", facts });
    for (const entry of entriesOf(reportOf(stored(randomRun(seed, 12))))) list.take(entry);
    const [before, after] = [list.draw(), list.draw()];
    expect(after.children.every((child, at) => child === before.children[at])).toBe(true);
  });

  it.each(seeds)("has the rows of the whole list, wherever a page goes on: seed %i", (seed) => {
    const events = stored(randomRun(seed, 12));
    const whole = groupEntries(entriesOf(reportOf(events))).map(words);
    const sizes = (row: string) => row.replace(/"[^"]*"/g, '"…"');
    for (let lastSeq = 1; lastSeq < events.length; lastSeq += 7) {
      const { after, known } = resumption(reportOf(events.slice(0, lastSeq)), lastSeq);
      const fold = new RunReportFold(JSON.parse(JSON.stringify(known)));
      for (const event of events.slice(after)) fold.add(event);
      expect(groupEntries(entriesOf(fold.report)).map(words).map(sizes)).toEqual(whole.map(sizes));
    }
  });
});
