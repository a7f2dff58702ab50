// Notes of `agent-service run` beside the run's own log: plain lines on standard error.

import { visibleText } from "../base/untrusted-text.ts";

const MAX_LINE_CHARS = 2_000;

/** The text may be untrusted (a refusal's text, a run id): no CI provider reads a line of it as a command. */
export function note(text: string): void {
  process.stderr.write(`${safeLines(text)}\n`);
}

/** Keeps line breaks: advice may be YAML to copy. */
function safeLines(text: string): string {
  const lines = visibleText(text.slice(0, MAX_LINE_CHARS)).trimEnd().split("\n");
  return lines
    .map((line) => line.replaceAll("##[", "## [").replace(/section_(start|end):/g, "section_$1 :"))
    .map((line) => (/^\s*(::|---|\+\+\+|~~~|\^\^\^)/.test(line) ? `. ${line}` : line))
    .join("\n");
}
