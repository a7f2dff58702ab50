// One plain line in the job's log. What others wrote may be in it (a refusal's text, a run id), and is not obeyed.

import { info } from "@actions/core";

/** Prints the text on one line, without what a runner takes for a command anywhere in a line. */
export function sayLine(text: string): void {
  const line = text.replace(/\p{Cc}+/gu, " ").replaceAll("##[", "## [");
  info(line.trimStart().startsWith("::") ? `. ${line}` : line);
}
