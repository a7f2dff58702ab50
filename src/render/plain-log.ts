// Writes log parts for any other terminal. Untrusted lines begin with a bar: CI providers read commands at the beginning
// of a line (`--- title`, `##vso[`, `##teamcity[`). Pure.

import { assertNever } from "../base/assert-never.ts";
import { singleLine, visibleText } from "../base/untrusted-text.ts";
import type { LogFormat, LogPart } from "./log-parts.ts";

const MAX_TITLE_CHARS = 200;

/** Indents the lines of a group. Use one object for a log: a group may span many calls. */
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
