// The log of a run: each event is printed, kept in the events file, and folded into the report.

import type { StoredRunEvent } from "../contract/runs/run-event.ts";
import { type LogFormat, type LogPart, RunLog } from "../render/log-parts.ts";
import { ndjsonLine } from "../render/ndjson.ts";
import { RunReportFold } from "../report/fold-run.ts";
import { type RunReport, replyMessage } from "../report/run-report.ts";

export type FollowLog = {
  /** Takes the events in order, each once. Events of the same turn of the event loop are written together. */
  readonly add: (stored: StoredRunEvent) => void;
  /** Writes what is buffered. Rejects when the events file could not be written. Safe to repeat. */
  readonly end: () => Promise<void>;
  /** A live view. */
  readonly report: RunReport;
  /** The agent's answer so far; empty when there is none. */
  readonly reply: () => string;
  /** The error message of a failed run; null when it did not fail. */
  readonly failure: () => string | null;
};

type FollowLogOptions = {
  readonly files: { readonly appendEvents: (lines: string) => Promise<void> };
  readonly format: LogFormat;
  readonly write: (text: string) => void;
  /** Events up to this `seq` are not printed: the log of another job has them. */
  readonly shownAfter: number;
};

/** A log that prints through `write`, in the format, and keeps every event in `files`. */
export function openFollowLog(options: FollowLogOptions): FollowLog {
  const { files, format, write, shownAfter } = options;
  const fold = new RunReportFold();
  const log = new RunLog();
  let parts: LogPart[] = [];
  let eventLines = "";
  let isScheduled = false;
  let written = Promise.resolve();

  const flush = () => {
    isScheduled = false;
    const lines = format.lines(parts);
    if (lines.length > 0) write(`${lines.join("\n")}\n`);
    const text = eventLines;
    if (text !== "") written = written.then(() => files.appendEvents(text));
    written.catch(() => {}); // `end` rejects with it.
    parts = [];
    eventLines = "";
  };
  return {
    add: (stored) => {
      fold.add(stored);
      const added = log.add(stored);
      if (stored.seq > shownAfter) parts.push(...added);
      eventLines += ndjsonLine(stored);
      // A page of events arrives in one turn: few writes, and no event waits for the next page.
      if (!isScheduled) setImmediate(flush);
      isScheduled = true;
    },
    end: async () => {
      fold.end();
      parts.push(...log.end());
      flush();
      await written;
    },
    report: fold.report,
    reply: () => replyMessage(fold.report)?.text ?? "",
    failure: () => (fold.report.state.status === "failed" ? fold.report.state.message : null),
  };
}
