// Writes log parts as a Buildkite job log: a folded group for each of ours. Pure.
// https://buildkite.com/docs/pipelines/configure/managing-log-output

import { assertNever } from "../base/assert-never.ts";
import { singleLine, visibleText } from "../base/untrusted-text.ts";
import type { LogFormat, LogPart } from "./log-parts.ts";

const MAX_TITLE_CHARS = 200;
/** Opens a group that is not folded. */
const REST = "+++ Agent";

/**
 * A Buildkite group ends where the next begins, so that the lines after a group get an open group of their own. A header
 * counts only at the beginning of a line: untrusted lines begin with a bar. Use one object for a log: a group may span
 * many calls.
 */
export class BuildkiteLog implements LogFormat {
  #mustLeaveGroup = false;

  lines(parts: readonly LogPart[]): string[] {
    return parts.flatMap((part) => this.#linesOf(part));
  }

  #linesOf(part: LogPart): string[] {
    switch (part.kind) {
      case "open":
        this.#mustLeaveGroup = false;
        return [`--- ${singleLine(part.title, MAX_TITLE_CHARS)}`];
      case "close":
        this.#mustLeaveGroup = true;
        return [];
      case "text": {
        const head = this.#mustLeaveGroup ? [REST] : [];
        this.#mustLeaveGroup = false;
        return [...head, ...textLines(part)];
      }
      default:
        return assertNever(part);
    }
  }
}

function textLines({ text, trust }: LogPart & { kind: "text" }): string[] {
  const lines = visibleText(text).split("\n");
  if (trust === "theirs") return lines.map((line) => `│ ${line}`.trimEnd());
  return lines.map((line) => line.replace(/^(?=---|\+\+\+|~~~|\^\^\^)/, " ").trimEnd());
}
