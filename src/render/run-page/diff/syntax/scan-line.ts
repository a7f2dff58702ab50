// Finds the comments, strings, numbers and words of one line, and what goes on in the next one. It knows no grammar: half of a file and
// what is no program are scanned too. In time linear in the line, without regular expressions. Pure.

import type { ColourKind, ColourSpan } from "../line-colours.ts";
import type { Delimited, Language } from "./language.ts";

/** What the end of a line is in: a comment or a string, a tag, or nothing of the kind. */
export type ScanState = Delimited | "tag" | null;

type ScannedLine = { readonly spans: readonly ColourSpan[]; readonly state: ScanState };

/** `state`: what the end of the line before is in. */
export function scanLine(text: string, of: Language, state: ScanState): ScannedLine {
  return new LineScan(text, of).scan(state);
}

/** Of `'\u{10ffff}'`. */
const MAX_CHAR_LITERAL = 12;
const BEFORE_REGEX = "(,=:[!&|?{};+";
const TAG_QUOTES = `"'`;

class LineScan {
  readonly #text: string;
  readonly #language: Language;
  readonly #spans: ColourSpan[] = [];
  /** What had no end in this line: it is not looked for again. */
  readonly #endless = new Set<unknown>();
  #at = 0;
  /** Whether a key may come. */
  #isBegin = true;
  /** Whether an operand may come, and no operator. */
  #isBeforeOperand = true;

  constructor(text: string, of: Language) {
    this.#text = text;
    this.#language = of;
  }

  scan(before: ScanState): ScannedLine {
    let state = before;
    while (this.#at < this.#text.length) {
      if (state !== null && state !== "tag") state = this.#goOn(state, this.#at);
      else if (state === "tag") state = this.#inTag();
      else if (this.#language.isMarkup) state = this.#betweenTags();
      else state = this.#next();
    }
    return { spans: this.#spans, state };
  }

  /** To the end of a comment or a string. */
  #goOn(delimited: Delimited, from: number): ScanState {
    const end = this.#endOf(delimited, from);
    this.#take(end ?? this.#text.length, delimited.kind);
    return end === null ? delimited : null;
  }

  #next(): ScanState {
    const { delimited, opening, hasRegex, hasChars } = this.#language;
    const char = this.#text.charAt(this.#at);
    for (const one of opening.includes(char) ? delimited : []) {
      if (!this.#text.startsWith(one.open, this.#at) || !this.#mayOpen(one)) continue;
      const end = this.#endOf(one, this.#at + one.open.length);
      if (end === null && !one.spansLines) {
        this.#endless.add(one);
        continue;
      }
      const isKey = one.kind === "string" && end !== null && this.#isKeyBefore(end);
      this.#take(end ?? this.#text.length, isKey ? "name" : one.kind);
      return end === null ? one : null;
    }
    if (hasChars && char === "'") return this.#char();
    if (isDigit(char)) return this.#word("constant");
    // A dash alone is a sign.
    if (this.#isNameStart(char) && !(char === "-" && isSpace(this.#text.charAt(this.#at + 1))))
      return this.#word(null);
    if (hasRegex && char === "/" && this.#isBeforeOperand) return this.#regex();
    this.#at += 1;
    if (char === " " || char === "\t") return null;
    this.#isBegin = "{;,-".includes(char) && (this.#isBegin || char !== "-");
    this.#isBeforeOperand = BEFORE_REGEX.includes(char);
    return null;
  }

  /** Null where it has no end in this line. */
  #endOf({ close, hasEscapes }: Delimited, from: number): number | null {
    if (close === null) return this.#text.length;
    if (!hasEscapes) {
      const end = this.#text.indexOf(close, from);
      return end < 0 ? null : end + close.length;
    }
    for (let at = from; at < this.#text.length; at += 1) {
      if (this.#text[at] === "\\") at += 1;
      else if (this.#text.startsWith(close, at)) return at + close.length;
    }
    return null;
  }

  #mayOpen(one: Delimited): boolean {
    if (this.#endless.has(one)) return false;
    const before = this.#text.charAt(this.#at - 1);
    return one.after === null || before === "" || isSpace(before) || one.after.includes(before);
  }

  /** `'a'`, `'\n'`; else a lifetime or the like, which is skipped. */
  #char(): null {
    const isEscaped = this.#text[this.#at + 1] === "\\";
    const from = this.#at + (isEscaped ? 3 : 2);
    const end = this.#text.indexOf("'", from);
    // Of one character, which may be two halves.
    const most = isEscaped ? this.#at + MAX_CHAR_LITERAL : from + 1;
    if (end >= 0 && end <= most) this.#take(end + 1, "string");
    else this.#at += 1;
    return null;
  }

  #regex(): null {
    let isClass = false;
    for (let at = this.#at + 1; at < this.#text.length && !this.#endless.has("regex"); at += 1) {
      const char = this.#text[at];
      if (char === "\\") at += 1;
      else if (char === "[") isClass = true;
      else if (char === "]") isClass = false;
      else if (char === "/" && !isClass) {
        this.#take(at + 1, "string");
        return null;
      }
    }
    this.#endless.add("regex");
    this.#at += 1;
    return null;
  }

  /** A name, or with `kind` a number. */
  #word(kind: "constant" | null): null {
    const from = this.#at;
    let end = from + 1;
    while (end < this.#text.length && this.#isNamePart(this.#text.charAt(end), kind)) end += 1;
    const found = kind ?? this.#kindOf(this.#text.slice(from, end), end);
    if (found === null) {
      this.#at = end;
      this.#isBegin = false;
    } else this.#take(end, found);
    this.#isBeforeOperand = found === "keyword";
    return null;
  }

  #kindOf(word: string, end: number): ColourKind | null {
    const { keywords, constants, ignoresCase } = this.#language;
    const known = ignoresCase ? word.toLowerCase() : word;
    if (keywords.has(known)) return "keyword";
    if (constants.has(known)) return "constant";
    if (this.#text[end] === "(" || (word.length > 1 && word.startsWith("@"))) return "name";
    return this.#isBegin && this.#isKeyBefore(end, { isPlain: true }) ? "name" : null;
  }

  /** Whether a key ends there. One without quotes has white space after its sign. */
  #isKeyBefore(end: number, { isPlain = false }: { readonly isPlain?: boolean } = {}): boolean {
    const { keyEnd } = this.#language;
    if (keyEnd === null) return false;
    let at = end;
    while (isSpace(this.#text.charAt(at))) at += 1;
    if (this.#text[at] !== keyEnd) return false;
    const after = this.#text.charAt(at + 1);
    return !isPlain || keyEnd !== ":" || after === "" || isSpace(after);
  }

  #betweenTags(): ScanState {
    const at = this.#text.indexOf("<", this.#at);
    this.#at = at < 0 ? this.#text.length : at;
    if (at < 0) return null;
    for (const one of this.#language.delimited)
      if (this.#text.startsWith(one.open, at)) return this.#goOn(one, at + one.open.length);
    this.#at += "/!?".includes(this.#text.charAt(at + 1) || " ") ? 2 : 1;
    if (!this.#isNameStart(this.#text.charAt(this.#at))) return null;
    this.#take(this.#nameEnd(), "keyword");
    return "tag";
  }

  #inTag(): ScanState {
    const char = this.#text.charAt(this.#at);
    if (this.#isNameStart(char)) this.#take(this.#nameEnd(), "name");
    else if (TAG_QUOTES.includes(char)) {
      const end = this.#text.indexOf(char, this.#at + 1);
      this.#take(end < 0 ? this.#text.length : end + 1, "string");
    } else this.#at += 1;
    return char === ">" ? null : "tag";
  }

  #nameEnd(): number {
    let end = this.#at;
    while (end < this.#text.length && this.#isNamePart(this.#text.charAt(end), null)) end += 1;
    return end;
  }

  #take(to: number, kind: ColourKind): void {
    this.#spans.push({ from: this.#at, to, kind });
    this.#at = to;
    this.#isBegin = false;
    this.#isBeforeOperand = false;
  }

  #isNameStart(char: string): boolean {
    return isLetter(char) || (char !== "" && this.#language.nameChars.includes(char));
  }

  #isNamePart(char: string, kind: "constant" | null): boolean {
    if (isLetter(char) || isDigit(char)) return true;
    return kind === "constant" ? char === "." : this.#language.nameChars.includes(char);
  }
}

function isDigit(char: string): boolean {
  return char >= "0" && char <= "9";
}

/** Beyond ASCII everything is one: both halves of a character stay together. */
function isLetter(char: string): boolean {
  return (char >= "a" && char <= "z") || (char >= "A" && char <= "Z") || char === "_" || char >= "\u0080";
}

function isSpace(char: string): boolean {
  return char === " " || char === "\t";
}
