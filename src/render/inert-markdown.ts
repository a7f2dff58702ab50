// A reply, which is untrusted Markdown, made safe inside our page: it cannot hide text, mention, load images, fold the page or
// change the text after it. Where parsers may disagree it is shown as text. Pure.

import { byteLength, fitText } from "../base/bounded-text.ts";
import { visibleText, wholeChars } from "../base/untrusted-text.ts";
import { isFenceOpener, readFence, writeFence } from "./inert-fence.ts";
import { inertInline } from "./inert-inline.ts";

/** `wasCut`: the text is the beginning of the reply, cut between lines where possible. */
type InertMarkdown = { readonly text: string; readonly wasCut: boolean };

/** The definitions that people use as comments: `[//]: # (hidden)`. */
const COMMENT_DEFINITION = /^[ \t>]*\[[^\]]+\]:[ \t]*(?:#|<>|<#>)(?:[ \t].*)?$/;
/** The only definitions that are kept: a short label and a plain address. Any other could hide text. */
const PLAIN_DEFINITION = /^\[[\w .-]{1,30}\]: https?:\/\/[^\s<>()[\]`"'|\\!&@]+$/;
const HEADING = /^( {0,3}|[ \t]*(?:(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])[ \t]{0,4})+)(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const COMMENT_BLOCK = /^[\s>*+\-\d.)]*<!--(?!.*-->)/;
/** Makes a heading of the paragraph above it; after a blank line it is a rule. */
const DASHES = /^([ \t>]*)-+[ \t]*$/;
const PARAGRAPH_START = /^(?:[\p{L}_`"'(]|\*\S)/u;

/** Renders a reply in at most `maxBytes` of UTF-8. Headings go down by two levels, fences are always closed. */
export function inertMarkdown(reply: string, maxBytes: number): InertMarkdown {
  const source = wholeChars(reply.slice(0, maxBytes));
  const lines = visibleText(source).trim().split("\n");
  const commentEnds = commentEndsFrom(lines);
  const out = new BoundedLines(maxBytes);
  let isInComment = false;
  for (let at = 0; at < lines.length && !out.isFull; ) {
    let line = lines[at] ?? "";
    if (isInComment) {
      const end = line.indexOf("-->");
      at++;
      if (end === -1) continue;
      line = line.slice(end + 3);
      isInComment = false;
      if (line.trim() === "") continue;
    } else {
      const found = readFence(lines, at);
      if (found !== null) {
        at = found.next;
        // After a blank line a list's marker cannot continue a paragraph.
        if (/[^\s>]/.test(found.fence.first)) out.pushBlank();
        out.pushAtOnce((roomBytes) => writeFence(found.fence, roomBytes));
        continue;
      }
      at++;
      if (COMMENT_DEFINITION.test(line)) continue;
      if (PLAIN_DEFINITION.test(line)) {
        out.push(line);
        continue;
      }
      if (out.endsBlank && isUnderlined(line, lines[at])) {
        at++;
        line = `# ${line}`;
      }
    }
    const inert = inertInline(line, commentEnds(line, at));
    isInComment = inert.opensComment;
    if (isInComment && inert.text.trim() === "") continue;
    const quoted = DASHES.exec(inert.text)?.[1];
    if (quoted !== undefined && !out.endsBlank) out.push(quoted.trimEnd());
    out.push(inertBlock(inert.text), (roomBytes) =>
      fitText(line, roomBytes, (head) => inertBlock(inertInline(head, false).text)),
    );
  }
  return { text: out.text, wasCut: out.isFull || source.length < reply.length };
}

/** A heading two levels lower; as text, an underline that would make a heading of the lines above. */
function inertBlock(line: string): string {
  return line
    .replace(HEADING, (_match, box: string, marks: string) => box + "#".repeat(Math.min(6, marks.length + 2)))
    .replace(/^([ \t>]*)=(?==*[ \t]*$)/, "$1\\=");
}

function isUnderlined(line: string, next: string | undefined): boolean {
  return next !== undefined && UNDERLINE.test(next) && PARAGRAPH_START.test(line) && !line.includes("|");
}

/**
 * Whether a comment that `line` leaves open ends at or after line `from`. A comment at the beginning of the line may
 * contain anything; one inside a paragraph ends in that paragraph or is no comment.
 */
function commentEndsFrom(lines: readonly string[]): (line: string, from: number) => boolean {
  const lastEnd = lines.findLastIndex((line) => line.includes("-->"));
  const endsInParagraph: boolean[] = [];
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? "";
    const goesOn = !isBlank(line) && !isFenceOpener(line);
    endsInParagraph[at] = goesOn && (line.includes("-->") || endsInParagraph[at + 1] === true);
  }
  return (line, from) => (COMMENT_BLOCK.test(line) ? lastEnd >= from : endsInParagraph[from] === true);
}

/** As in CommonMark: a no-break space is text. */
function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line);
}

/** Collects lines up to a number of bytes; full once a line did not fit. */
class BoundedLines {
  readonly #lines: string[] = [];
  #roomBytes: number;
  isFull = false;

  constructor(maxBytes: number) {
    this.#roomBytes = maxBytes;
  }

  get text(): string {
    return this.#lines.slice(0, this.#lines.findLastIndex((line) => !isBlank(line)) + 1).join("\n");
  }

  get endsBlank(): boolean {
    return isBlank(this.#lines.at(-1) ?? "");
  }

  /** `cut` returns the part of the line that fits; called only where nothing else would be shown. */
  push(line: string, cut?: (roomBytes: number) => string | null): void {
    if (this.#add([line])) return;
    this.isFull = true;
    const head = this.#lines.length === 0 ? cut?.(this.#roomBytes - 1) : null;
    if (typeof head === "string") this.#add([head]);
  }

  pushBlank(): void {
    if (!this.endsBlank) this.push("");
  }

  pushAtOnce(write: (roomBytes: number) => { lines: readonly string[]; wasCut: boolean } | null): void {
    const written = write(this.#roomBytes);
    if (written === null || !this.#add(written.lines) || written.wasCut) this.isFull = true;
  }

  #add(lines: readonly string[]): boolean {
    const bytes = lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
    if (bytes > this.#roomBytes) return false;
    this.#roomBytes -= bytes;
    for (const line of lines) this.#lines.push(line);
    return true;
  }
}
