// What strangers wrote on the code host, as a person sees it there: what is hidden from people is kept from the agent.
// Code is left as it is, but for characters that nobody sees. Pure.

import { withoutHidden } from "../../base/untrusted-text.ts";
import { type Segment, segmentsOf } from "./segments.ts";

/** Quotations in quotations beyond this are read as text. */
const MAX_QUOTE_DEPTH = 8;

/** The elements that GitHub shows. The name of another is seen by nobody, and could be a message. */
const SHOWN_ELEMENTS = new Set(
  (
    "a abbr b bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption " +
    "figure font h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p picture pre q rp rt ruby s samp script section small " +
    "source span strike strong style sub summary sup table tbody td textarea tfoot th thead tr tt u ul var video wbr"
  ).split(" "),
);

const COMMENT = /<!--(?:-?>|[\s\S]*?(?:-->|$))|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<![A-Za-z][^>]*>/g;
const IMAGE =
  /!\[(?:\\.|[^\\[\]])*\](\(\s*(?:<[^<>\n]*>|[^\s()<>]*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)|\[[^[\]]*\])?/g;
const TITLE = /(\]\(\s*(?:<[^<>\n]*>|[^\s()<>]+))\s+(?:"[^"]*"|'[^']*'|\([^()]*\))(\s*\))/g;
/** Shown nowhere: `[//]: # (words)` is the idiom for a comment, and any label can hold words. */
const DEFINITION =
  /^([ \t]{0,3})\[(?:\\.|[^\\[\]])+\]:[ \t]*\n?[ \t]*(?:<[^<>\n]*>|[^\s<]\S*)(?:[ \t]*\n?[ \t]*(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$\n?/gm;
const TAG =
  /<(\/?)([A-Za-z][A-Za-z0-9-]*)(?:\s+[A-Za-z_:@][\w.:@-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*(\/?)>/g;
const REFERENCE = /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi;

/**
 * Leaves out invisible characters, comments of every form, link definitions, the hidden texts of images, links and
 * HTML tags, and character references to invisible characters. What people see stays, images as `![image]`.
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
  return text
    .replace(COMMENT, " ")
    .replace(DEFINITION, "$1")
    .replace(IMAGE, (_image, place: string = "") => `![image]${place.replace(/\s+["'(][\s\S]*/, ")")}`)
    .replace(TITLE, "$1$2")
    .replace(TAG, (_tag, open: string, name: string, close: string) =>
      SHOWN_ELEMENTS.has(name.toLowerCase())
        ? `<${open}${name}${close}>`
        : name.toLowerCase() === "img"
          ? "![image]"
          : "",
    )
    .replace(REFERENCE, (reference, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0x10ffff || withoutHidden(String.fromCodePoint(code)) !== "" ? reference : "";
    });
}
