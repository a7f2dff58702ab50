// A run that was taken up again: a line for the log and the page, one line for all of them in the summary. Pure. Names of tools are
// untrusted: what shows a line escapes it.

import { singleLine } from "../base/untrusted-text.ts";
import type { Parked } from "../contract/runs/run.ts";
import type { Resumption } from "../report/run-report.ts";
import { countText, plural } from "./quantities.ts";

/** The most names of tools in one line. */
const MAX_NAMES = 5;
const MAX_NAME_CHARS = 60;
const MAX_MESSAGE_CHARS = 300;

export function resumptionNote({ turn, after, unknownCalls, message }: Omit<Resumption, "seq">): string {
  const said = message === null ? "" : ` It was told: ${firstParagraph(message)}`;
  return `${whatHappened[after](turn)}${said}${unknownCallsText(unknownCalls)}`;
}

/** What follows in the message of a comment's job is what happened there: commits, and the names of branches. */
function firstParagraph(message: string): string {
  const [first = "", ...rest] = message.trim().split("\n\n");
  return `${singleLine(first, MAX_MESSAGE_CHARS)}${rest.length > 0 ? " …" : ""}`;
}

type Cause = Resumption["after"];

const whatHappened: Readonly<Record<Cause, (turn: number) => string>> = {
  lost_worker: (turn) => `The run was taken up again at turn ${turn}: its worker was lost.`,
  handover: (turn) => `The run goes on at turn ${turn} on another worker: its own was stopped.`,
  parked: (turn) => `The run was continued at turn ${turn}.`,
  fork: (turn) => `The run begins at turn ${turn} of another one.`,
};

const whyAgain: Readonly<Record<Cause, string>> = {
  lost_worker: "its worker was lost",
  handover: "its worker was stopped",
  parked: "it was continued",
  fork: "it begins at that turn of another run",
};

/** One line of a run that waits. */
export function parkedNote({ reason, until, how_to_continue: how }: Parked): string {
  return `The run is parked (${singleLine(reason, MAX_NAME_CHARS)}) until ${until.slice(0, 10)}. ${singleLine(how, MAX_MESSAGE_CHARS)}`;
}

/** "" where the run was never taken up again. */
export function resumptionsNote(resumptions: readonly Resumption[]): string {
  const last = resumptions.at(-1);
  if (last === undefined) return "";
  const times = resumptions.length === 1 ? "" : ` ${plural(resumptions.length, "time")}, last`;
  const unknownCalls = new Set(resumptions.flatMap((one) => one.unknownCalls));
  return `Taken up again${times} at turn ${last.turn}: ${whyAgain[last.after]}.${unknownCallsText([...unknownCalls])}`;
}

function unknownCallsText(names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, MAX_NAMES).map((name) => singleLine(name, MAX_NAME_CHARS));
  const more = names.length - shown.length;
  const list = [shown.join(", "), ...(more > 0 ? [`${countText(more)} more`] : [])].join(" and ");
  return ` Calls whose result is not known, and which are not repeated: ${list}.`;
}
