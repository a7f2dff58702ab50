// Writes log parts as a GitHub Actions log: groups, and fences in which the runner executes no command. Pure.
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands

import { assertNever } from "../base/assert-never.ts";
import { visibleText } from "../base/untrusted-text.ts";
import type { LogFormat, LogPart } from "./log-parts.ts";

const TOKEN = /^[A-Za-z0-9_-]{16,128}$/;
const MAX_TOKENS = 8;

/**
 * `nextToken` returns an unguessable word of 16 to 128 of `A-Za-z0-9_-`, a new one at every call, for each fence.
 * No fence stays open between two calls of `lines`, so that commands printed elsewhere in the process still work. Pass
 * many parts at once to get few fences.
 */
export class GithubLog implements LogFormat {
  readonly #nextToken: () => string;

  constructor(nextToken: () => string) {
    this.#nextToken = nextToken;
  }

  lines(parts: readonly LogPart[]): string[] {
    const blocks: string[][] = [];
    let theirs: string[][] = [];
    for (const part of parts) {
      if (part.kind === "text" && part.trust === "theirs") {
        theirs.push(linesOf(part.text));
        continue;
      }
      blocks.push(this.#fenced(theirs.flat()), ourLines(part));
      theirs = [];
    }
    blocks.push(this.#fenced(theirs.flat()));
    return blocks.flat();
  }

  #fenced(theirs: readonly string[]): string[] {
    if (theirs.length === 0) return [];
    // The runner ignores case, and both `##[token]` and `::token::` end a fence.
    const text = theirs.join("\n").toLowerCase();
    for (let attempt = 0; attempt < MAX_TOKENS; attempt++) {
      const token = this.#nextToken();
      if (!TOKEN.test(token))
        throw new RangeError("A fence's token takes 16 to 128 of A-Z, a-z, 0-9, _ and -.");
      if (text.includes(token.toLowerCase())) continue;
      return [[`::stop-commands::${token}`], theirs, [`::${token}::`]].flat();
    }
    return [`(${theirs.length} lines withheld: they contain the words that would fence them)`];
  }
}

function ourLines(part: LogPart): string[] {
  switch (part.kind) {
    case "open":
      return [`::group::${commandData(withoutMarkers(visibleText(part.title)))}`];
    case "close":
      return ["::endgroup::"];
    case "text":
      return linesOf(part.text).map((line) => line.replace(/^(\s*):(?=:)/, "$1: "));
    default:
      return assertNever(part);
  }
}

function linesOf(text: string): string[] {
  return withoutMarkers(visibleText(text)).split("\n");
}

/** The log's viewer reads `##[` as a command anywhere in a line, even in a fence. */
function withoutMarkers(text: string): string {
  return text.replaceAll("##[", "## [");
}

/** The data of a command, as the runner reads it back. */
function commandData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
