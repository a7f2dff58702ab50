// A run's steps and tool calls as a Mermaid Gantt chart. Labels use an alphabet that cannot break it. Pure.

import { visibleText } from "../base/untrusted-text.ts";
import { elapsedMs, type RunReport } from "../report/run-report.ts";
import { durationText } from "./quantities.ts";

/** The most bars of each kind; all later ones share the last bar. */
export const MAX_STEP_BARS = 10;
export const MAX_CALL_BARS = 30;

/** A shorter run has ticks between whole seconds. */
const SHORT_MS = 10_000;
const MAX_LABEL_CHARS = 40;
/** The narrowest bar, as a part of the whole width. */
const NARROWEST = 1 / 200;

/** Milliseconds since the run's start. A bar without an end was cut off with the run, or goes on. */
type Bar = {
  readonly label: string;
  readonly startMs: number;
  readonly endMs: number | null;
  readonly hasFailed: boolean;
};

type Timed = {
  readonly label: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly hasFailed?: boolean;
};

/** The Mermaid source, or "" when there is nothing to draw. The axis counts seconds from the run's start. */
export function timeline(report: RunReport): string {
  const { state } = report;
  if (state.status === "unknown") return "";
  const totalMs = Math.max(1, elapsedMs(report) ?? 0);
  const offset = (atMs: number) => Math.min(totalMs, Math.max(0, atMs - state.startedAtMs));
  const toBar = (timed: Timed): Bar => ({
    label: timed.label,
    hasFailed: timed.hasFailed ?? false,
    startMs: offset(timed.startedAtMs),
    endMs: timed.endedAtMs === null ? null : offset(timed.endedAtMs),
  });
  const steps = report.steps.map((step) => toBar({ ...step, label: step.name }));
  const calls = report.calls.map((call) =>
    toBar({ ...call, label: call.title, hasFailed: call.hasFailed || call.isCutOff }),
  );
  if (steps.length + calls.length === 0) return "";
  const openTag = state.status === "running" ? "active, " : "crit, ";
  const lines = [
    "gantt",
    `  title Seconds since the start, ${durationText(totalMs)} in all`,
    "  dateFormat x",
    `  axisFormat ${totalMs < SHORT_MS ? "%S.%L" : "%s"}`,
    ...section({ title: "Steps", word: "Step ", bars: shared(steps, MAX_STEP_BARS), totalMs, openTag }),
    ...section({ title: "Tool calls", word: "", bars: shared(calls, MAX_CALL_BARS), totalMs, openTag }),
  ];
  return lines.join("\n");
}

function section(options: {
  title: string;
  /** Before the number. The numbers of calls are those of the list below the chart. */
  word: string;
  bars: readonly Bar[];
  totalMs: number;
  openTag: string;
}): string[] {
  const { title, word, bars, totalMs, openTag } = options;
  if (bars.length === 0) return [];
  const narrowestMs = Math.max(1, Math.ceil(totalMs * NARROWEST));
  return [
    `  section ${title}`,
    ...bars.map((bar, index) => {
      const endMs = Math.max(bar.endMs ?? totalMs, bar.startMs + narrowestMs);
      // Without the number a label could be read as a keyword ("section", "click") or a date.
      const failedTag = bar.hasFailed ? "crit, " : "";
      const tag = bar.endMs === null ? openTag : failedTag;
      return `    ${word}${index + 1} ${safeLabel(bar.label)} :${tag}${bar.startMs}, ${endMs}`;
    }),
  ];
}

/** The first bars as they are, the rest as one. */
function shared(bars: readonly Bar[], maxBars: number): readonly Bar[] {
  if (bars.length <= maxBars) return bars;
  const rest = bars.slice(maxBars - 1);
  const wasCutOff = rest.some((bar) => bar.endMs === null);
  const last: Bar = {
    label: `and ${rest.length} more`,
    startMs: rest.reduce((least, bar) => Math.min(least, bar.startMs), Number.MAX_SAFE_INTEGER),
    hasFailed: rest.some((bar) => bar.hasFailed),
    endMs: wasCutOff ? null : rest.reduce((most, bar) => Math.max(most, bar.endMs ?? 0), 0),
  };
  return [...bars.slice(0, maxBars - 1), last];
}

/** Letters, digits, `_`, `.`, `/`, `-` and single spaces. */
function safeLabel(label: string): string {
  const safe = visibleText(label)
    .replace(/[^\p{L}\p{N}_./-]+/gu, " ")
    .trim();
  const chars = [...safe];
  return chars.length <= MAX_LABEL_CHARS
    ? safe || "unnamed"
    : chars.slice(0, MAX_LABEL_CHARS).join("").trim();
}
