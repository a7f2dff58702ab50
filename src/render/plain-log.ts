// Writes log parts for any other terminal. Their text stands behind a bar, so that no line of it begins a line:
// CI providers take their commands from there (`--- title`, `##vso[`, `##teamcity[`). Pure.

import { assertNever } from "../base/assert-never.ts";
import { singleLine, visibleText } from "../base/untrusted-text.ts";
import type { LogFormat, LogPart } from "./log-parts.ts";

const MAX_TITLE_CHARS = 200;

/** Indents what belongs to a group. One for a log: a group may span many calls. */
export class PlainLog implements LogFormat {
  #indent = "";

  lines(parts: readonly LogPart[]): string[] {
    return parts.flatMap((part) => this.#linesOf(part));
  }

  #linesOf(part: LogPart): string[] {
    switch (part.kind) {
      case "open":
        this.#indent = "  ";
        return [`▸ ${singleLine(part.title, MAX_TITLE_CHARS)}`];
      case "close":
        this.#indent = "";
        return [];
      case "text": {
        const bar = part.trust === "theirs" ? "│ " : "";
        const lines = visibleText(part.text).split("\n");
        return lines.map((line) => `${this.#indent}${bar}${line}`.trimEnd());
      }
      default:
        return assertNever(part);
    }
  }
}
