// The colours of the diffs of a page, within bounds: what is beyond them is shown without. Both versions of a file have their own state,
// since a comment may be open in one of them alone. Pure. Not for scripts: a page that grows shows none before it is loaded anew.
// Why: docs/decisions/167-a-scanner-of-our-own-colours-diffs.md

import type { ColourSpan, DiffColours, LineColours } from "../line-colours.ts";
import type { Language } from "./language.ts";
import { languageOf } from "./languages.ts";
import { type ScanState, scanLine } from "./scan-line.ts";

/** Longer lines were made by programs. */
export const MAX_COLOURED_LINE_CHARS = 500;
const MAX_FILE_CHARS = 50_000;
/** Scanned for one page. Two thousand lines have 100,000, which takes 4 ms of CPU. */
export const MAX_PAGE_CHARS = 120_000;
/** Of a page: 23 bytes each. Two thousand lines have 5,400, which take 13 ms of CPU to be drawn. */
export const MAX_PAGE_SPANS = 8_000;

/** For one page. */
export function openDiffColours(): DiffColours {
  const left: Left = { chars: MAX_PAGE_CHARS, spans: MAX_PAGE_SPANS };
  return (path) => {
    const language = languageOf(path);
    return language === null ? null : new FileColours(language, left);
  };
}

type Left = { chars: number; spans: number };

class FileColours implements LineColours {
  readonly #language: Language;
  readonly #left: Left;
  #charsOfFile = MAX_FILE_CHARS;
  #old: ScanState = null;
  #new: ScanState = null;
  /** Sides of which a line has come since the last begin. */
  readonly #known = { old: false, new: false };

  constructor(language: Language, left: Left) {
    this.#language = language;
    this.#left = left;
  }

  begin(): void {
    this.#old = null;
    this.#new = null;
    this.#known.old = false;
    this.#known.new = false;
  }

  spansOf(side: "removed" | "added" | "same", text: string): readonly ColourSpan[] {
    if (text.length > MAX_COLOURED_LINE_CHARS || !this.#takes(text.length)) return [];
    if (!this.#known.old && side !== "added") this.#old = this.#stateBefore(text);
    if (!this.#known.new && side !== "removed") this.#new = this.#stateBefore(text);
    if (side !== "added") this.#known.old = true;
    if (side !== "removed") this.#known.new = true;
    const before = side === "removed" ? this.#old : this.#new;
    const { spans, state } = scanLine(text, this.#language, before);
    if (side === "same") this.#old = this.#old === before ? state : this.#stateAfter(text, this.#old);
    else if (side === "removed") this.#old = state;
    if (side !== "removed") this.#new = state;
    this.#left.spans -= spans.length;
    return spans;
  }

  #takes(chars: number): boolean {
    if (this.#left.spans <= 0 || this.#left.chars < chars || this.#charsOfFile < chars) return false;
    this.#left.chars -= chars;
    this.#charsOfFile -= chars;
    return true;
  }

  /** A line that stayed, in the version in which it may be something else. */
  #stateAfter(text: string, before: ScanState): ScanState {
    return this.#takes(text.length) ? scanLine(text, this.#language, before).state : null;
  }

  /** Of the first line that is shown of a place: one like ` * text` is in the middle of a comment. */
  #stateBefore(text: string): ScanState {
    const line = text.trim();
    if (line !== "*" && !line.startsWith("* ") && !line.startsWith("*/")) return null;
    return this.#language.delimited.find(({ open, spansLines }) => open === "/*" && spansLines) ?? null;
  }
}
