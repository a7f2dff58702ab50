// Text within a bound, counted in characters or in UTF-8 bytes. Never half a surrogate pair. Pure.

import { wholeChars } from "./untrusted-text.ts";

/** The beginning of a text, and how much more there was. */
export type Excerpt = { readonly text: string; readonly omittedChars: number };

export function excerpt(text: string, maxChars: number): Excerpt {
  if (text.length <= maxChars) return { text, omittedChars: 0 };
  // A slice keeps the whole of its source in memory; a copy does not.
  const kept = copied(wholeChars(text.slice(0, maxChars)));
  return { text: kept, omittedChars: text.length - kept.length };
}

/** The end of a text, as a copy. */
export function lastChars(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : copied(text.slice(-maxChars).replace(/^[\uDC00-\uDFFF]/, ""));
}

/** In browsers, too, where there is no Buffer. */
function copied(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** The longest beginning of at most `maxLines` and `maxChars`, cut between lines where one ends in time. */
export function headLines(
  text: string,
  limits: { maxLines: number; maxChars: number },
): { head: string; moreLines: number } {
  let end = 0;
  for (let line = 0; line < limits.maxLines; line++) {
    const next = text.indexOf("\n", end);
    const lineEnd = next === -1 ? text.length : next;
    if (lineEnd > limits.maxChars) {
      const cut = end === 0 ? limits.maxChars : end - 1;
      return { head: wholeChars(text.slice(0, cut)), moreLines: countLines(text, cut) };
    }
    if (next === -1) return { head: text, moreLines: 0 };
    end = next + 1;
  }
  return { head: text.slice(0, end - 1), moreLines: countLines(text, end - 1) };
}

/** Renders a beginning of `text` whose rendering fits: nearly the longest, found in few tries. Null when none fits. */
export function fitText(text: string, maxBytes: number, render: (head: string) => string): string | null {
  // Hardly a rendering has fewer bytes than its text has characters.
  for (let length = Math.min(text.length, Math.max(0, maxBytes)); ; ) {
    const rendered = render(wholeChars(text.slice(0, length)));
    const bytes = byteLength(rendered);
    if (bytes <= maxBytes) return rendered;
    if (length === 0) return null;
    length = Math.min(Math.floor((length * maxBytes) / bytes), Math.floor(length * 0.9));
  }
}

/** Lines that begin after `from`, or the one that `from` is inside of. */
function countLines(text: string, from: number): number {
  let count = text[from] === "\n" ? 0 : 1;
  for (let at = text.indexOf("\n", from); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (at < text.length - 1) count++;
  }
  return count;
}

/** Room for sections with a blank line after each: what has none left is left out. */
export class SectionRoom {
  #bytes: number;

  constructor(maxBytes: number) {
    this.#bytes = maxBytes;
  }

  /** UTF-8 bytes that are left. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The section, or "" when it does not fit. */
  take(section: string): string {
    const bytes = section === "" ? 0 : byteLength(section) + 2;
    if (bytes > this.#bytes) return "";
    this.#bytes -= bytes;
    return section;
  }
}
