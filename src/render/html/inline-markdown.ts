// A line of Markdown that others wrote, as elements: code, links to the web, bold, italic, struck. In time linear in the
// text. Everything else, raw HTML too, is text. Pure.

import { type Contents, el, outerLink, said } from "./element.ts";

/** A longer paragraph is text. */
const MAX_CHARS = 50_000;

const ADDRESS = /https?:\/\/[^\s<>"'`()[\]{}]+/y;
/** `(address "title")`, right after a link's text. */
const TARGET =
  /\(\s{0,9}<?([^\s<>()]{1,2000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,2000})?)>?(?:\s{1,9}"[^"]{0,300}")?\s{0,9}\)/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;
/** After these, a line of text may hold something else. */
const SPECIAL = /[\\`[!*_~\nh]/g;

const tags: ReadonlyMap<string, string> = new Map([
  ["**", "strong"],
  ["__", "strong"],
  ["*", "em"],
  ["_", "em"],
  ["~~", "s"],
]);

type Open = { readonly marker: string; readonly children: Contents[] };

export function inlineMarkdown(text: string): Contents {
  return text.length > MAX_CHARS ? said(text) : new Inline(text).read(0, text.length);
}

class Inline {
  readonly #text: string;
  /** The place of each code span's closing backticks, by that of its opening ones. */
  readonly #codeEnds: ReadonlyMap<number, { readonly end: number; readonly ticks: number }>;
  /** The place of each `]`, by that of its `[`. */
  readonly #brackets: ReadonlyMap<number, number>;

  constructor(text: string) {
    this.#text = text;
    this.#codeEnds = codeSpans(text);
    this.#brackets = brackets(text);
  }

  read(from: number, to: number, isInLink: "in_link" | "free" = "free"): Contents {
    const root: Open = { marker: "", children: [] };
    const open: Open[] = [root];
    const top = () => open.at(-1) ?? root;
    let plainFrom = from;
    let at = from;
    const flush = () => {
      if (plainFrom < at) top().children.push(said(this.#text.slice(plainFrom, at)));
    };
    const take = (content: Contents, end: number) => {
      flush();
      if (content !== null) top().children.push(content);
      at = end;
      plainFrom = end;
    };
    while (at < to) {
      const char = this.#text.charAt(at);
      const marker = char === "*" || char === "_" || char === "~" ? this.#marker(at) : null;
      const code = char === "`" ? this.#codeEnds.get(at) : undefined;
      if (char === "\\" && PUNCTUATION.test(this.#text.charAt(at + 1)))
        take(this.#text.charAt(at + 1), at + 2);
      else if (code !== undefined && code.end + code.ticks <= to) {
        const inside = this.#text.slice(at + code.ticks, code.end).replace(/\n/g, " ");
        take(el("code", {}, said(unpadded(inside))), code.end + code.ticks);
      } else if (
        isInLink === "free" &&
        (char === "[" || (char === "!" && this.#text.charAt(at + 1) === "["))
      ) {
        const link = this.#link(char === "[" ? at : at + 1, to);
        if (link === null) at += 1;
        else take(link.content, link.end);
      } else if (isInLink === "free" && char === "h") {
        const url = this.#address(at, to);
        if (url === null) at += 1;
        else take(outerLink(url, [said(url)]), at + url.length);
      } else if (char === "\n") {
        take(/ {2}$/.test(this.#text.slice(Math.max(from, at - 2), at)) ? el("br") : "\n", at + 1);
      } else if (marker !== null) {
        const { end, mayOpen, mayClose, text } = marker;
        const tag = tags.get(text);
        if (mayClose && top().marker === text && tag !== undefined) {
          flush();
          const closed = open.pop();
          top().children.push(el(tag, {}, closed?.children ?? null));
          at = end;
          plainFrom = end;
        } else if (mayOpen && !open.some((one) => one.marker === text)) {
          flush();
          open.push({ marker: text, children: [] });
          at = end;
          plainFrom = end;
        } else at = end;
      } else at = this.#nextSpecial(at + 1, to);
    }
    flush();
    while (open.length > 1) {
      const unclosed = open.pop();
      if (unclosed !== undefined) top().children.push(unclosed.marker, ...unclosed.children);
    }
    return root.children;
  }

  #nextSpecial(from: number, to: number): number {
    SPECIAL.lastIndex = from;
    const found = SPECIAL.exec(this.#text);
    return found === null ? to : Math.min(to, found.index);
  }

  #marker(at: number): { text: string; end: number; mayOpen: boolean; mayClose: boolean } | null {
    const char = this.#text.charAt(at);
    const isDouble = this.#text.charAt(at + 1) === char;
    if (char === "~" && !isDouble) return null;
    const text = isDouble ? char + char : char;
    const end = at + text.length;
    const [before, after] = [this.#text.charAt(at - 1), this.#text.charAt(end)];
    const isInWord = char === "_" && WORD.test(before) && WORD.test(after);
    const isBlank = (next: string) => next === "" || /\s/.test(next);
    return {
      text,
      end,
      mayOpen: !isInWord && !isBlank(after),
      mayClose: !isInWord && !isBlank(before),
    };
  }

  #link(at: number, to: number): { content: Contents; end: number } | null {
    const close = this.#brackets.get(at);
    if (close === undefined || close >= to || this.#text.charAt(close + 1) !== "(") return null;
    TARGET.lastIndex = close + 1;
    const [whole, url = ""] = TARGET.exec(this.#text) ?? [];
    if (whole === undefined || close + 1 + whole.length > to) return null;
    const content = outerLink(url, [this.read(at + 1, close, "in_link")]);
    return { content, end: close + 1 + whole.length };
  }

  #address(at: number, to: number): string | null {
    if (WORD.test(this.#text.charAt(at - 1))) return null;
    ADDRESS.lastIndex = at;
    const [url] = ADDRESS.exec(this.#text) ?? [];
    return url === undefined ? null : url.slice(0, to - at).replace(/[.,;:!?*_~]{1,9}$/, "");
  }
}

/** One blank at each end is there for code that begins or ends with a backtick. */
function unpadded(code: string): string {
  const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  return isPadded ? code.slice(1, -1) : code;
}

/** A run of backticks is closed by the next run of the same length. */
function codeSpans(text: string): ReadonlyMap<number, { readonly end: number; readonly ticks: number }> {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ at: index, ticks: run.length }));
  const nextOf = new Map<number, number>();
  const spans = new Map<number, { end: number; ticks: number }>();
  for (const { at, ticks } of runs.toReversed()) {
    const end = nextOf.get(ticks);
    if (end !== undefined) spans.set(at, { end, ticks });
    nextOf.set(ticks, at);
  }
  return spans;
}

function brackets(text: string): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: char, index } of text.matchAll(/\\.|[[\]]/gs)) {
    if (char === "[") open.push(index);
    const start = char === "]" ? open.pop() : undefined;
    if (start !== undefined) pairs.set(start, index);
  }
  return pairs;
}
