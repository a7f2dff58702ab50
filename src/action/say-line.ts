// One plain line in the job's log. It may contain untrusted text: a refusal's message, a run id.

import { info } from "@actions/core";

/** Prints the text on one line, without anything that the runner reads as a command. */
export function sayLine(text: string): void {
  const line = text.replace(/\p{Cc}+/gu, " ").replaceAll("##[", "## [");
  info(line.trimStart().startsWith("::") ? `. ${line}` : line);
}
