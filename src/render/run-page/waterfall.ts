// A run's rows as a timeline, in the order and grouping of its list: a bar each, as long as it took, over an axis from 0. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import { maskSecrets } from "../../report/find-secrets.ts";
import type { RunReport } from "../../report/run-report.ts";
import { type Element, el } from "../html/element.ts";
import { countText, durationText } from "../quantities.ts";
import { stateOf } from "./call-state.ts";
import { entryId } from "./entries.ts";
import { spanOf } from "./entry-list.ts";
import type { GroupedRow, Part, TurnRow } from "./grouping.ts";
import { readsText } from "./reads.ts";

const MAX_ROWS = 300;
/** With more rows it is folded. */
const MAX_OPEN_ROWS = 40;
const WIDTH = 1_000;
const NARROWEST = 4;
const MAX_LABEL_CHARS = 60;
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

type Bar = {
  /** The id of the list's element. */
  readonly id: string;
  readonly label: string;
  readonly kind: "step" | "turn" | "call" | "failed";
  /** Whether it is a call below what was said before it. */
  readonly isPart: boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
};
type Span = { readonly startMs: number; readonly ms: number };

/** Null where there is nothing to draw. */
export function waterfall(report: RunReport, rows: readonly GroupedRow[]): Element | null {
  const { state, lastEventAtMs, parkedMs } = report;
  if (state.status === "unknown") return null;
  const count = rows.reduce((sum, row) => sum + barCount(row), 0);
  if (count === 0) return null;
  const endMs = state.status === "running" ? (lastEventAtMs ?? state.startedAtMs) : state.endedAtMs;
  const span = { startMs: state.startedAtMs, ms: Math.max(1, endMs - state.startedAtMs) };
  const more = count - MAX_ROWS;
  const parked = parkedMs === 0 ? "" : `, ${durationText(parkedMs)} of it parked`;
  return el(
    "details",
    { class: "waterfall", open: count <= MAX_OPEN_ROWS ? true : undefined },
    el("summary", {}, `Timeline, ${durationText(span.ms)} in all${parked}`),
    el(
      "div",
      { class: "axis" },
      el("div", { class: "ticks" }, ...QUARTERS.map((part) => el("span", {}, tickText(part * span.ms)))),
    ),
    el("ol", {}, ...firstBars(rows).map((bar) => barElement(bar, span))),
    more > 0 ? el("p", { class: "faint" }, `and ${countText(more)} more`) : null,
  );
}

function tickText(ms: number): string {
  return ms === 0 ? "0" : durationText(ms);
}

function barCount(row: GroupedRow): number {
  if (row.kind === "turn") return (row.lead === null ? 0 : 1) + row.parts.length;
  return row.entry.kind === "step" ? 1 : 0;
}

function firstBars(rows: readonly GroupedRow[]): readonly Bar[] {
  const bars: Bar[] = [];
  for (const row of rows) {
    if (bars.length >= MAX_ROWS) break;
    bars.push(...barsOf(row));
  }
  return bars.slice(0, MAX_ROWS);
}

function barsOf(row: GroupedRow): readonly Bar[] {
  if (row.kind === "turn") {
    const isPart = row.lead !== null;
    return [...leadBars(row), ...row.parts.map((part) => partBar(part, isPart))];
  }
  const { entry } = row;
  if (entry.kind !== "step") return [];
  const { name, startedAtMs, endedAtMs } = entry.step;
  const label = singleLine(name, MAX_LABEL_CHARS);
  return [{ id: entryId(entry.seq), label, kind: "step", isPart: false, startedAtMs, endedAtMs }];
}

/** A turn takes from its first thought to the end of its last call. */
function leadBars({ lead, parts }: TurnRow): readonly Bar[] {
  if (lead === null) return [];
  const { seq, message } = lead.entry;
  const calls = parts.flatMap((part) => (part.kind === "call" ? [part.item] : part.items));
  const thoughts = lead.thoughts.map(({ thought }) => thought);
  const [startedAtMs, endedAtMs] = spanOf([...thoughts, message, ...calls.map(({ entry }) => entry.call)]);
  const label = saidText(message.isWhole ? message.text : maskSecrets(message.text));
  return [{ id: entryId(seq), label, kind: "turn", isPart: false, startedAtMs, endedAtMs }];
}

/** What is said, without marks of Markdown. A reply as data is not read here. */
function saidText(text: string): string {
  const start = text.trimStart();
  if (["{", "[{", "```json"].some((mark) => start.startsWith(mark))) return "A reply as data";
  return singleLine(text.replaceAll("`", "").replaceAll("**", ""), MAX_LABEL_CHARS);
}

function partBar(part: Part, isPart: boolean): Bar {
  const calls = (part.kind === "call" ? [part.item] : part.items).map(({ entry }) => entry.call);
  const [startedAtMs, endedAtMs] = spanOf(calls);
  const times = { isPart, startedAtMs, endedAtMs };
  if (part.kind === "reads") return { id: part.id, label: readsText(calls), kind: "call", ...times };
  const { seq, call } = part.item.entry;
  const label = singleLine(call.title, MAX_LABEL_CHARS);
  return { id: entryId(seq), label, kind: stateOf(call) === "failed" ? "failed" : "call", ...times };
}

function barElement({ id, label, kind, isPart, startedAtMs, endedAtMs }: Bar, span: Span): Element {
  const place = (ms: number) =>
    Math.round((Math.min(span.ms, Math.max(0, ms - span.startMs)) / span.ms) * WIDTH);
  const from = Math.min(place(startedAtMs), WIDTH - NARROWEST);
  const width = Math.max(NARROWEST, place(endedAtMs ?? span.startMs + span.ms) - from);
  const took = endedAtMs === null ? "goes on" : durationText(endedAtMs - startedAtMs);
  return el(
    "li",
    { class: isPart ? `${kind} part` : kind },
    el("a", { href: `#${id}` }, kind === "failed" ? `✗ ${label}` : label),
    el(
      "svg",
      { viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
      el("rect", { x: from, y: 0, width, height: 10 }),
    ),
    el("span", { class: "time" }, took),
  );
}
