// A run that was taken up again: a line for the log and the page, one line for all of them in the summary. Pure. Names of tools are
// untrusted: what shows a line escapes it.

import { singleLine } from "../base/untrusted-text.ts";
import type { Resumption } from "../report/run-report.ts";
import { countText, plural } from "./quantities.ts";

/** The most names of tools in one line. */
const MAX_NAMES = 5;
const MAX_NAME_CHARS = 60;

export function resumptionNote({ turn, after, unknownCalls }: Omit<Resumption, "seq">): string {
  const what =
    after === "lost_worker"
      ? `The run was taken up again at turn ${turn}: its worker was lost.`
      : `The run goes on at turn ${turn} on another worker: its own was stopped.`;
  return `${what}${unknownCallsText(unknownCalls)}`;
}

/** "" where the run was never taken up again. */
export function resumptionsNote(resumptions: readonly Resumption[]): string {
  const last = resumptions.at(-1);
  if (last === undefined) return "";
  const times = resumptions.length === 1 ? "" : ` ${plural(resumptions.length, "time")}, last`;
  const why = last.after === "lost_worker" ? "its worker was lost" : "its worker was stopped";
  const unknownCalls = new Set(resumptions.flatMap((one) => one.unknownCalls));
  return `Taken up again${times} at turn ${last.turn}: ${why}.${unknownCallsText([...unknownCalls])}`;
}

function unknownCallsText(names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, MAX_NAMES).map((name) => singleLine(name, MAX_NAME_CHARS));
  const more = names.length - shown.length;
  const list = [shown.join(", "), ...(more > 0 ? [`${countText(more)} more`] : [])].join(" and ");
  return ` Calls whose result is not known, and which are not repeated: ${list}.`;
}
