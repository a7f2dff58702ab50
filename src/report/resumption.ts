// The point at which a reader goes on who has been shown a run so far: the events to read again, and the report up to there.
// Pure.

import { wholeChars } from "../base/untrusted-text.ts";
import { type AssistantMessage, type RunReport, replyMessage } from "./run-report.ts";

type ReadingPoint = {
  /** The events from the next one on are to be folded into `known`: every message and call is whole then. */
  readonly after: number;
  /** The report so far: of what was shown and does not change any more, only how texts begin. */
  readonly known: RunReport;
};

const MAX_BEGINNING_CHARS = 120;
const NOTHING = { text: "", omittedChars: 0 };

/** `lastSeq` is that of the newest event in the report. */
export function resumption(report: RunReport, lastSeq: number): ReadingPoint {
  const open = [
    ...report.messages.filter(({ isWhole }) => !isWhole),
    ...report.thoughts.filter(({ isWhole }) => !isWhole),
    ...report.calls.filter(({ endedAtMs }) => endedAtMs === null),
  ];
  const wholeUpTo = open.reduce((least, { seq }) => Math.min(least, seq - 1), lastSeq);
  const after = beforeThoughts(report, wholeUpTo);
  const reply = replyMessage({ ...report, messages: report.messages.filter(({ seq }) => seq <= after) });
  const known = {
    ...report,
    messages: report.messages
      .filter(({ seq, text }) => seq <= after && text.trim() !== "")
      .map((message) => (message.seq === reply?.seq ? message : beginning(message))),
    thoughts: report.thoughts.filter(({ seq }) => seq <= after).map((thought) => ({ ...thought, text: "…" })),
    calls: report.calls
      .filter(({ seq }) => seq <= after)
      .map((call) => ({ ...call, args: NOTHING, result: null, resultEnd: null })),
    steps: report.steps.filter(({ seq }) => seq <= after),
    notices: report.notices.filter(({ seq }) => seq <= after),
    resumptions: report.resumptions.filter(({ seq }) => seq <= after),
  };
  return { after, known };
}

/** Thoughts that nothing has followed yet are read again: they are shown with what follows. */
function beforeThoughts(report: RunReport, after: number): number {
  const shown = [
    ...report.messages.filter(({ text }) => text.trim() !== ""),
    ...report.calls,
    ...report.steps,
    ...report.notices,
    ...report.resumptions,
  ];
  const isKnown = ({ seq }: { readonly seq: number }) => seq <= after;
  const newest = shown.filter(isKnown).reduce((most, { seq }) => Math.max(most, seq), 0);
  const first = report.thoughts.find(({ seq }) => seq > newest && seq <= after);
  return first === undefined ? after : first.seq - 1;
}

function beginning(message: AssistantMessage): AssistantMessage {
  return { ...message, text: wholeChars(message.text.trimStart().slice(0, MAX_BEGINNING_CHARS)) };
}
