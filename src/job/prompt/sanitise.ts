// Untrusted text of the code host, reduced to its visible parts: hidden parts do not reach the agent. In code only invisible
// characters are removed. Pure.

import { withoutHidden } from "../../base/untrusted-text.ts";
import { type Segment, segmentsOf } from "./segments.ts";

/** Quotations nested deeper than this are treated as text. */
const MAX_QUOTE_DEPTH = 8;

/** The elements that GitHub shows. Names of others are invisible, and could carry a message. */
const SHOWN_ELEMENTS = new Set(
  (
    "a abbr b bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption " +
    "figure font h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p picture pre q rp rt ruby s samp script section small " +
    "source span strike strong style sub summary sup table tbody td textarea tfoot th thead tr tt u ul var video wbr"
  ).split(" "),
);

/** Beginnings of HTML that is never shown, and the end of each kind of it. */
const UNSHOWN = /<!--|<\?|<!\[CDATA\[|<![A-Za-z]/g;
const IMAGE =
  /!\[(?:\\.|[^\\[\]])*\](\(\s*(?:(?:<[^<>\n]*>|[^\s()<>]+)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*)?\)|\[[^[\]]*\])?/g;
const TITLE = /(\]\(\s*(?:<[^<>\n]*>|[^\s()<>]+))\s+(?:"[^"]*"|'[^']*'|\([^()]*\))(\s*\))/g;
/** Link definitions are never shown: `[//]: # (text)` is a common form of comment. */
const DEFINITION =
  /^([ \t]{0,3})\[(?:\\.|[^\\[\]])+\]:[ \t]*(?:\n[ \t]*)?(?:<[^<>\n]*>|[^\s<]\S*)(?:[ \t]*(?:\n[ \t]*)?(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$\n?/gm;
const TAG =
  /<(\/?)([A-Za-z][A-Za-z0-9-]*)(?:\s+[A-Za-z_:@][\w.:@-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*(\/?)>/g;
const PASTED = /\ssrc="(https?:\/\/[\w.:-]{1,200}\/user-attachments\/assets\/[0-9a-f-]{36})"/i;
const REFERENCE = /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi;

/**
 * Removes invisible characters, comments, link definitions, the hidden texts of images, links and HTML tags, and
 * character references to invisible characters. Visible text stays; an image becomes `![image]`, with
 * the address of one that is kept by the code host.
 */
export function sanitise(text: string): string {
  return shown(withoutHidden(text), 0);
}

function shown(text: string, depth: number): string {
  return segmentsOf(text)
    .map((segment) => shownSegment(segment, depth))
    .join("");
}

function shownSegment({ kind, text }: Segment, depth: number): string {
  switch (kind) {
    case "hidden":
      return "";
    case "code":
      return text;
    case "quote":
      return depth < MAX_QUOTE_DEPTH ? shownQuote(text, depth) : shownMarkup(text);
    case "text":
    case "raw":
      return shownMarkup(text);
  }
}

function shownQuote(text: string, depth: number): string {
  const end = text.endsWith("\n") ? "\n" : "";
  const inner = text.replace(/^(?:[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t])*>[ \t]?/gm, "");
  const lines = shown(end === "" ? inner : inner.slice(0, -1), depth + 1).split("\n");
  return `${lines.map((line) => `> ${line}`).join("\n")}${end}`;
}

function shownMarkup(text: string): string {
  return withoutUnshown(text)
    .replace(DEFINITION, "$1")
    .replace(IMAGE, (_image, place: string = "") => `![image]${place.replace(/(?<!\s)\s+["'(][\s\S]*/, ")")}`)
    .replace(TITLE, "$1$2")
    .replace(TAG, (tag, open: string, name: string, close: string) =>
      SHOWN_ELEMENTS.has(name.toLowerCase())
        ? `<${open}${name}${close}>`
        : name.toLowerCase() === "img"
          ? `![image]${pastedPlace(tag)}`
          : "",
    )
    .replace(REFERENCE, (reference, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0x10ffff || withoutHidden(String.fromCodePoint(code)) !== "" ? reference : "";
    });
}

/** The address of an image that was pasted: GitHub writes it as a tag. The address holds no words. */
function pastedPlace(tag: string): string {
  const place = PASTED.exec(tag)?.[1];
  return place === undefined ? "" : `(${place})`;
}

/** An unclosed comment hides the rest; the other kinds are text without their end, which is looked for once. */
function withoutUnshown(text: string): string {
  const shown: string[] = [];
  const missing = new Set<string>();
  let from = 0;
  const openers = new RegExp(UNSHOWN);
  for (let match = openers.exec(text); match !== null; match = openers.exec(text)) {
    const end = unshownEnd(text, { opener: match[0], at: match.index, missing });
    if (end === null) continue;
    shown.push(text.slice(from, match.index), " ");
    from = end;
    openers.lastIndex = end;
  }
  return shown.join("") + text.slice(from);
}

type Unshown = { readonly opener: string; readonly at: number; readonly missing: Set<string> };

function unshownEnd(text: string, { opener, at, missing }: Unshown): number | null {
  const start = at + opener.length;
  if (opener === "<!--") {
    const whole = [">", "->"].find((close) => text.startsWith(close, start));
    const end = whole === undefined ? text.indexOf("-->", start) + 3 : start + whole.length;
    return end < start ? text.length : end;
  }
  const close = opener === "<?" ? "?>" : opener === "<![CDATA[" ? "]]>" : ">";
  const end = missing.has(close) ? -1 : text.indexOf(close, start);
  if (end >= 0) return end + close.length;
  missing.add(close);
  return null;
}
