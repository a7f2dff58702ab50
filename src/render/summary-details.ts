// The folded part of a summary: the chart, then each tool call and earlier message. The oldest are cut first. Pure.

import { byteLength, type Excerpt, excerpt } from "../base/bounded-text.ts";
import { type AssistantMessage, type RunReport, replyMessage, type ToolCall } from "../report/run-report.ts";
import { escapeMarkdown, inlineCode, untrustedFence } from "./markdown.ts";
import { countText, durationText, plural } from "./quantities.ts";
import { resumptionsNote } from "./resumption-notes.ts";
import { timeline } from "./timeline.ts";

type RunIds = {
  readonly runId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly agentId?: string | undefined;
};

/** The most that is shown of a message that is not the reply. */
const MAX_MESSAGE_CHARS = 4_096;
const MAX_TITLE_CHARS = 80;
const MAX_NOTICE_CHARS = 500;
/** The chart takes at most this part of the room. */
const CHART_PART = 1 / 2;

/** A `<details>` element in at most `maxBytes`; "" when there is nothing to fold, or no room. */
export function summaryDetails(report: RunReport, options: { ids: RunIds; maxBytes: number }): string {
  const open = `<details>\n<summary>${detailsTitle(report)}</summary>`;
  const close = "</details>";
  const ids = idLine(options.ids);
  let roomBytes = options.maxBytes - byteLength([open, ids, close].join("\n\n")) - 2;
  if (roomBytes < 0) return "";
  const chart = chartSection(report, Math.floor(roomBytes * CHART_PART));
  roomBytes -= byteLength(chart) + 2;
  const entries = entriesOf(report);
  const note = (count: number) =>
    count === 0 ? "" : `${plural(count, "earlier part")} left out: the events file has them all.`;
  roomBytes -= byteLength(note(entries.length)) + 2;
  const shown: string[] = [];
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at]?.() ?? "";
    roomBytes -= byteLength(entry) + 2;
    if (roomBytes < 0) break;
    shown.push(entry);
  }
  if (chart === "" && shown.length === 0 && ids === "") return "";
  const sections = [open, chart, note(entries.length - shown.length), ...shown.reverse(), ids, close];
  return sections.filter((section) => section !== "").join("\n\n");
}

function detailsTitle(report: RunReport): string {
  const counts = [
    ...(report.calls.length > 0 ? [plural(report.calls.length, "tool call")] : []),
    ...(report.steps.length > 0 ? [plural(report.steps.length, "step")] : []),
    ...(report.notices.length > 0 ? [plural(report.notices.length, "notice")] : []),
  ];
  return counts.length === 0 ? "Details" : `Timeline: ${counts.join(", ")}`;
}

function chartSection(report: RunReport, maxBytes: number): string {
  const source = timeline(report);
  if (source === "") return "";
  const chart = untrustedFence(source, "mermaid");
  return byteLength(chart) <= maxBytes ? chart : "";
}

/** Calls, numbered as in the chart, notices, how often the run was taken up again, and earlier messages in the order they began, each rendered on demand. */
function entriesOf(report: RunReport): (() => string)[] {
  const reply = replyMessage(report);
  const messages = report.messages.filter((message) => message !== reply && message.text.trim() !== "");
  return [
    ...report.calls.map((call, at) => ({ seq: call.seq, render: () => callEntry(call, at + 1) })),
    ...report.notices.map(({ seq, text }) => ({ seq, render: () => escapeMarkdown(text, MAX_NOTICE_CHARS) })),
    ...report.resumptions.slice(-1).map(({ seq }) => ({
      seq,
      render: () => escapeMarkdown(resumptionsNote(report.resumptions), MAX_NOTICE_CHARS),
    })),
    ...messages.map((message) => ({ seq: message.seq, render: () => messageEntry(message) })),
  ]
    .sort((a, b) => a.seq - b.seq)
    .map((entry) => entry.render);
}

function callEntry(call: ToolCall, number: number): string {
  const { args, result, hasFailed, isCutOff, startedAtMs, endedAtMs } = call;
  const took = endedAtMs === null || isCutOff ? "no result" : durationText(endedAtMs - startedAtMs);
  return [
    `<details>\n<summary>${hasFailed ? "❌ " : ""}${number}. ${inlineCode(call.title)} · ${took}${hasFailed ? ", failed" : ""}</summary>`,
    ...block(args, "json"),
    ...(result === null ? [] : block(result)),
    "</details>",
  ].join("\n\n");
}

function messageEntry(message: AssistantMessage): string {
  return [
    `<details>\n<summary>Message: ${escapeMarkdown(message.text, MAX_TITLE_CHARS)}</summary>`,
    ...block(excerpt(message.text, MAX_MESSAGE_CHARS)),
    "</details>",
  ].join("\n\n");
}

function block(kept: Excerpt, info = ""): string[] {
  const more = `… ${countText(kept.omittedChars)} more characters, in the events file`;
  return [
    ...(kept.text.trim() === "" ? [] : [untrustedFence(kept.text.trimEnd(), info)]),
    ...(kept.omittedChars === 0 ? [] : [more]),
  ];
}

function idLine(ids: RunIds): string {
  return [
    ...(ids.runId === undefined ? [] : [`run ${inlineCode(ids.runId)}`]),
    ...(ids.sessionId === undefined ? [] : [`session ${inlineCode(ids.sessionId)}`]),
    ...(ids.agentId === undefined ? [] : [`agent ${inlineCode(ids.agentId)}`]),
  ].join(" · ");
}
