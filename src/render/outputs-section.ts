// Typed outputs that the job wrote for a run, and those that it refused: lines for the log, a list for the summary. Pure.

import { fitText } from "../base/bounded-text.ts";
import { singleLine } from "../base/untrusted-text.ts";
import type { WrittenOutputs } from "../report/written-outputs.ts";
import { escapeMarkdown, inlineCode, link } from "./markdown.ts";

const MAX_LINE_CHARS = 600;
const MAX_WHY_BYTES = 1_000;
const MAX_SHOWN = 30;

export function writtenLines({ written }: WrittenOutputs): readonly string[] {
  return written.map(({ type, text, url }) =>
    singleLine(`Output ${type}: ${text}${url === null ? "" : ` ${url}`}`, MAX_LINE_CHARS),
  );
}

export function refusedLines({ refused }: WrittenOutputs): readonly string[] {
  return refused
    .slice(0, MAX_SHOWN)
    .map(({ type, why }) => singleLine(`Output ${type} was not written. ${why}`, MAX_LINE_CHARS));
}

/** "" where the run asked for nothing. */
export function outputsSection(outputs: WrittenOutputs | null): string {
  if (outputs === null || outputs.written.length + outputs.refused.length === 0) return "";
  const written = outputs.written.map(({ type, text, url }) => {
    const page = url === null ? "" : ` ${link("Open", url)}`;
    return `- ${inlineCode(type)}: ${shownText(text)}${page}`;
  });
  const refused = outputs.refused.map(
    ({ type, why }) => `- ⚠️ ${inlineCode(type)} was not written: ${shownText(why)}`,
  );
  const shown = [...written, ...refused.slice(0, MAX_SHOWN)];
  const left = refused.length - MAX_SHOWN;
  return ["### Outputs", [...shown, ...(left > 0 ? [`- ${left} more were refused`] : [])].join("\n")].join(
    "\n\n",
  );
}

function shownText(text: string): string {
  return fitText(text, MAX_WHY_BYTES, (head) => escapeMarkdown(head)) ?? "";
}
