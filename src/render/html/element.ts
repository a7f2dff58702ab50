// Elements of a page as values, and their HTML. All text in them is escaped: no text of others becomes markup. Pure.

import { visibleText } from "../../base/untrusted-text.ts";

/** `true` is an attribute without a value; one that is undefined is left out. */
type Attributes = Readonly<Record<string, string | number | true | undefined>>;
export type Element = {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly HtmlNode[];
};
export type HtmlNode = Element | string;
/** Null stands for nothing. */
export type Contents = HtmlNode | readonly Contents[] | null;

/** Names of tags and attributes are ours, never those of others. */
export function el(tag: string, attributes: Attributes = {}, ...children: readonly Contents[]): Element {
  return { tag, attributes, children: flat(children) };
}

/** Text that others wrote: what it hides is shown. */
export function said(text: string): string {
  return visibleText(text);
}

/** A link to an address that others wrote; only its text where the address is not of the web. */
export function outerLink(url: string, children: readonly Contents[]): Contents {
  const href = webAddress(url);
  if (href === null) return children;
  return el("a", { href, rel: "noopener noreferrer nofollow ugc" }, ...children);
}

const MAX_ADDRESS_CHARS = 2_000;

/** The address as a browser reads it; null for other schemes, for one with a user's name, and for a long one. */
function webAddress(url: string): string | null {
  if (url.length > MAX_ADDRESS_CHARS || !URL.canParse(url)) return null;
  const { protocol, username, password, href } = new URL(url);
  const isOfTheWeb = protocol === "https:" || protocol === "http:";
  return isOfTheWeb && username === "" && password === "" ? href : null;
}

const VOID_TAGS: ReadonlySet<string> = new Set(["br", "hr", "input", "meta", "rect"]);

export function toHtml(content: Contents): string {
  const parts: string[] = [];
  write(content, parts);
  return parts.join("");
}

function write(content: Contents, parts: string[]): void {
  if (content === null) return;
  if (typeof content === "string") {
    parts.push(escapeHtml(content));
    return;
  }
  if (isList(content)) {
    for (const one of content) write(one, parts);
    return;
  }
  const { tag, attributes, children } = content;
  parts.push("<", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    parts.push(" ", name);
    if (value !== true) parts.push('="', escapeHtml(String(value)), '"');
  }
  parts.push(">");
  if (VOID_TAGS.has(tag)) {
    if (tag === "rect") parts.push("</rect>");
    return;
  }
  for (const child of children) write(child, parts);
  parts.push("</", tag, ">");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}

export function flat(contents: readonly Contents[]): readonly HtmlNode[] {
  return contents.flatMap((content): readonly HtmlNode[] => {
    if (content === null) return [];
    return isList(content) ? flat(content) : [content];
  });
}

function isList(content: Contents): content is readonly Contents[] {
  return Array.isArray(content);
}
