// Writes log parts as a GitLab job log: a folded section for each group. Pure.
// https://docs.gitlab.com/ci/jobs/job_logs/#custom-collapsible-sections

import { assertNever } from "../base/assert-never.ts";
import { singleLine, visibleText } from "../base/untrusted-text.ts";
import type { LogFormat, LogPart } from "./log-parts.ts";

const MAX_TITLE_CHARS = 200;
const ERASE_LINE = "\r\u001b[0K";

/**
 * `now` returns milliseconds since the epoch: a section shows how long it was open. Use one object for a log: a group may
 * span many calls. A section marker needs a carriage return and an escape character: untrusted lines have neither, begin
 * with a bar, and cannot contain the marker's word.
 */
export class GitlabLog implements LogFormat {
  readonly #now: () => number;
  #sections = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  lines(parts: readonly LogPart[]): string[] {
    return parts.flatMap((part) => this.#linesOf(part));
  }

  #linesOf(part: LogPart): string[] {
    switch (part.kind) {
      case "open": {
        this.#sections += 1;
        const title = withoutMarkers(singleLine(part.title, MAX_TITLE_CHARS));
        return [`${this.#marker("start")}[collapsed=true]${ERASE_LINE}${title}`];
      }
      case "close":
        return [`${this.#marker("end")}${ERASE_LINE}`];
      case "text": {
        const bar = part.trust === "theirs" ? "│ " : "";
        const lines = withoutMarkers(visibleText(part.text)).split("\n");
        return lines.map((line) => `${bar}${line}`.trimEnd());
      }
      default:
        return assertNever(part);
    }
  }

  #marker(side: "start" | "end"): string {
    return `\u001b[0Ksection_${side}:${Math.floor(this.#now() / 1000)}:agent_service_${this.#sections}`;
  }
}

function withoutMarkers(text: string): string {
  return text.replace(/section_(start|end):/g, "section_$1 :");
}
