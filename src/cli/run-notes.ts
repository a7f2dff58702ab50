// What `agent-service run` says beside the run's own log: one plain line each, on standard error.

import { visibleText } from "../base/untrusted-text.ts";
import { ApiError } from "../client/errors.ts";
import type { RetryNotice } from "../client/retry.ts";

const MAX_LINE_CHARS = 2_000;

/** Others' words may be in it (a refusal's text, a run id): no CI takes a line of it for a command. */
export function note(text: string): void {
  process.stderr.write(`${safeLines(text)}\n`);
}

export function noteRetry({ attempt, delayMs, error }: RetryNotice): void {
  const answered =
    error instanceof ApiError ? `${error.call} answered ${error.status} (request ${error.requestId}): ` : "";
  const wait = `Trying again in ${(delayMs / 1000).toFixed(1)} s.`;
  note(`Attempt ${attempt} failed: ${answered}${error.message} ${wait}`.replace(/\s+/g, " "));
}

/** Lines stay lines, as advice may be YAML to copy. */
function safeLines(text: string): string {
  const lines = visibleText(text.slice(0, MAX_LINE_CHARS)).trimEnd().split("\n");
  return lines
    .map((line) => line.replaceAll("##[", "## [").replace(/section_(start|end):/g, "section_$1 :"))
    .map((line) => (/^\s*(::|---|\+\+\+|~~~|\^\^\^)/.test(line) ? `. ${line}` : line))
    .join("\n");
}
