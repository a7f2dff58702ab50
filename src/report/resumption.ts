// The point at which a reader goes on who has been shown a run so far: the events to read again, and the report up to there.
// Pure.

import { type RunReport, replyMessage } from "./run-report.ts";

type ReadingPoint = {
  /** The events from the next one on are to be folded into `known`: every message and call is whole then. */
  readonly after: number;
  /** The report so far, without the texts of what was shown and does not change any more. */
  readonly known: RunReport;
};

const NOTHING = { text: "", omittedChars: 0 };

/** `lastSeq` is that of the newest event in the report. */
export function resumption(report: RunReport, lastSeq: number): ReadingPoint {
  const open = [
    ...report.messages.filter(({ isWhole }) => !isWhole),
    ...report.calls.filter(({ endedAtMs }) => endedAtMs === null),
  ];
  const after = open.reduce((least, { seq }) => Math.min(least, seq - 1), lastSeq);
  const reply = replyMessage({ ...report, messages: report.messages.filter(({ seq }) => seq <= after) });
  const known = {
    ...report,
    messages: reply === null ? [] : [reply],
    calls: report.calls
      .filter(({ seq }) => seq <= after)
      .map((call) => ({ ...call, args: NOTHING, result: null })),
    steps: report.steps.filter(({ seq }) => seq <= after),
    notices: [],
    resumptions: [],
  };
  return { after, known };
}
