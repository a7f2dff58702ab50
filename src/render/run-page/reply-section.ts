// The reply of a run, on its page: its last message, or what it replied as data, for people. Pure.

import { isTerminal, type Run } from "../../contract/runs/run.ts";
import { maskSecrets } from "../../report/find-secrets.ts";
import { readFindings } from "../../report/findings.ts";
import { type AssistantMessage, type RunReport, replyMessage } from "../../report/run-report.ts";
import { type Contents, el } from "../html/element.ts";
import { markdownElements } from "../html/markdown-elements.ts";
import { dataElements, dataIn } from "./data-elements.ts";
import { parkedOf } from "./parked-section.ts";

type Replied = { readonly run: Run; readonly report: RunReport };

export function replySection(replied: Replied): readonly Contents[] {
  const { run, report } = replied;
  if (!hasReply(run)) return [];
  const shown = [...textOf(replied), ...dataOf(report)];
  return shown.length === 0 ? [] : [el("h2", {}, "Reply"), el("div", { class: "said card" }, ...shown)];
}

/** The `seq` of the message that the reply section stands for. Null where the list alone has it. */
export function replySeq(replied: Replied): number | null {
  if (!hasReply(replied.run)) return null;
  const { report } = replied;
  const message = finalMessage(replied);
  if (message === null) return null;
  const isShown = isText(report) || dataIn(message.text) !== undefined;
  return isShown ? message.seq : null;
}

/** The reply of a run that waits for an answer is its question, which is shown with the form. */
function hasReply(run: Run): boolean {
  const parked = parkedOf(run);
  return isTerminal(run.status) || (parked !== null && parked.reason !== "question");
}

/** What the agent said before a call is no reply where the run did not complete: it stands with the call. */
function finalMessage({ run, report }: Replied): AssistantMessage | null {
  const message = replyMessage(report);
  const isCut = run.status === "failed" || run.status === "cancelled";
  if (message === null || (isCut && report.calls.some(({ seq }) => seq > message.seq))) return null;
  return message;
}

/** Whether a message that is a text is part of the reply: that of a review is its data. */
function isText({ output }: RunReport): boolean {
  return output === null || readFindings(output).findings === null;
}

function textOf(replied: Replied): readonly Contents[] {
  const { report } = replied;
  const { output } = report;
  const text = finalMessage(replied)?.text ?? "";
  if (!isText(report) || text.trim() === "") return [];
  const data = dataIn(text);
  if (data === undefined) return markdownElements(maskSecrets(text));
  return output === null ? [dataElements(data)] : [];
}

/** The findings of a review have a section of their own: this is its summary, and what else it has. */
function dataOf({ output }: RunReport): readonly Contents[] {
  if (output === null) return [];
  const { findings, summary } = readFindings(output);
  if (findings === null) return [dataElements(output.value)];
  if (summary !== null) return summary.trim() === "" ? [] : markdownElements(summary);
  const { findings: _, ...rest } = { ...Object(output.value) };
  return Object.keys(rest).length === 0 ? [] : [dataElements(rest)];
}
