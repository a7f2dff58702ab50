// A run's steps and calls as a timeline: a row each, its bar as long as it took. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import { elapsedMs, type RunReport } from "../../report/run-report.ts";
import { type Element, el } from "../html/element.ts";
import { countText, durationText } from "../quantities.ts";
import { entryId } from "./entries.ts";

const MAX_ROWS = 300;
const WIDTH = 1_000;
const NARROWEST = 4;
const MAX_LABEL_CHARS = 60;

type Row = {
  readonly seq: number;
  readonly label: string;
  readonly kind: "step" | "call" | "failed";
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
};

/** Null where there is nothing to draw. */
export function waterfall(report: RunReport): Element | null {
  const { state } = report;
  if (state.status === "unknown") return null;
  const rows: Row[] = [
    ...report.steps.map((step): Row => ({ ...step, label: step.name, kind: "step" })),
    ...report.calls.map(
      (call): Row => ({ ...call, label: call.title, kind: call.hasFailed ? "failed" : "call" }),
    ),
  ].sort((a, b) => a.seq - b.seq);
  if (rows.length === 0) return null;
  const span = { startMs: state.startedAtMs, ms: Math.max(1, elapsedMs(report) ?? 1) };
  const more = rows.length - MAX_ROWS;
  return el(
    "details",
    { class: "waterfall" },
    el("summary", {}, `Timeline, ${durationText(span.ms)} in all`),
    el("ol", {}, ...rows.slice(0, MAX_ROWS).map((row) => rowElement(row, span))),
    more > 0 ? el("p", { class: "faint" }, `and ${countText(more)} more`) : null,
  );
}

function rowElement(row: Row, span: { startMs: number; ms: number }): Element {
  const place = (ms: number) =>
    Math.round((Math.min(span.ms, Math.max(0, ms - span.startMs)) / span.ms) * WIDTH);
  const from = Math.min(place(row.startedAtMs), WIDTH - NARROWEST);
  const width = Math.max(NARROWEST, place(row.endedAtMs ?? span.startMs + span.ms) - from);
  const took = row.endedAtMs === null ? "goes on" : durationText(row.endedAtMs - row.startedAtMs);
  return el(
    "li",
    { class: row.kind },
    el("a", { href: `#${entryId(row.seq)}` }, singleLine(row.label, MAX_LABEL_CHARS)),
    el(
      "svg",
      { viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
      el("rect", { x: from, y: 0, width, height: 10 }),
    ),
    el("span", { class: "time" }, took),
  );
}
