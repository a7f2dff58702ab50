// Fenced code inside untrusted Markdown: found as it was written, rewritten so that every parser agrees on where it
// begins and ends. Pure.

import { byteLength, fitText } from "../base/bounded-text.ts";
import { plainInfo } from "./markdown.ts";

/** `first` stands before the opening fence, `rest` before every other line: a list's or a quotation's indentation. */
type Fence = {
  readonly first: string;
  readonly rest: string;
  readonly info: string;
  readonly lines: readonly string[];
};

/**
 * Languages that a code host does not show as text: it draws them, or offers to apply them with a click.
 * https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
 */
const drawn: ReadonlySet<string> = new Set([
  "mermaid",
  "math",
  "geojson",
  "topojson",
  "stl",
  "plantuml",
  "suggestion",
]);

const OPENER = /^([ \t]*)(> ?|[-*+] {1,3}|\d{1,9}[.)] {1,3})?(`{3,}|~{3,}(?!~))([^`]*)$/;

export function isFenceOpener(line: string): boolean {
  return OPENER.test(line);
}

/** The fence that opens at line `start`, and the line after it; or null. A fence that never closes takes the rest. */
export function readFence(lines: readonly string[], start: number): { fence: Fence; next: number } | null {
  const opener = OPENER.exec(lines[start] ?? "");
  if (opener === null) return null;
  const [, space = "", box = "", run = "", info = ""] = opener;
  // Indented by more than three columns, it is a fence or not by the lines above; without indentation it always is one.
  const indent = /^ {0,3}$/.test(space) ? space : "";
  const isQuoted = box.startsWith(">");
  const first = indent + box;
  const rest = isQuoted ? first : indent + " ".repeat(box.length);
  const closer = new RegExp(`^ {0,3}${run.charAt(0)}{${run.length},}[ \\t]*$`);
  const content: string[] = [];
  let at = start + 1;
  for (; at < lines.length; at++) {
    let line = lines[at] ?? "";
    if (isQuoted) {
      if (!/^\s*>/.test(line)) break;
      line = line.replace(/^\s*> ?/, "");
    } else {
      line = withoutIndent(line, { space: box === "" ? space : "", depth: space.length + box.length });
    }
    if (closer.test(line)) {
      at++;
      break;
    }
    content.push(line);
  }
  const language = plainInfo(info.trim().split(/\s/, 1)[0] ?? "");
  const word = drawn.has(language.toLowerCase()) ? "" : language;
  return { fence: { first, rest, info: word, lines: content }, next: at };
}

/** The fence as lines of at most `maxBytes`, line ends included, or the part that fits. Null when none does. */
export function writeFence(fence: Fence, maxBytes: number): { lines: string[]; wasCut: boolean } | null {
  const frameBytes = byteLength(`${fence.first}${fence.info}\n${fence.rest}\n`);
  let longest = 2;
  let contentBytes = 0;
  let fitting = 0;
  for (const line of fence.lines) {
    longest = Math.max(longest, longestRun(line));
    contentBytes += byteLength(indented(line, fence)) + 1;
    if (frameBytes + 2 * (longest + 1) + contentBytes > maxBytes) break;
    fitting++;
  }
  if (fitting > 0 || fence.lines.length === 0) {
    const lines = written(fence, fence.lines.slice(0, fitting));
    return { lines, wasCut: fitting < fence.lines.length };
  }
  const head = fitText(fence.lines[0] ?? "", maxBytes - 1, (text) => written(fence, [text]).join("\n"));
  return head === null ? null : { lines: head.split("\n"), wasCut: true };
}

function written(fence: Fence, lines: readonly string[]): string[] {
  const ticks = "`".repeat(lines.reduce((longest, line) => Math.max(longest, longestRun(line)), 2) + 1);
  const content = lines.map((line) => indented(line, fence));
  return [[`${fence.first}${ticks}${fence.info}`], content, [`${fence.rest}${ticks}`]].flat();
}

function indented(line: string, fence: Fence): string {
  return line === "" ? fence.rest.trimEnd() : fence.rest + line;
}

function longestRun(line: string): number {
  let longest = 0;
  for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function withoutIndent(line: string, options: { space: string; depth: number }): string {
  if (options.space !== "" && line.startsWith(options.space)) return line.slice(options.space.length);
  let at = 0;
  while (at < options.depth && line.charAt(at) === " ") at++;
  return line.slice(at);
}
