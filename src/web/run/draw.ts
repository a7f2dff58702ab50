// Elements as nodes of the document. No HTML is parsed: the page's policy lets nobody do that.

import { type Contents, flat, type HtmlNode } from "../../render/html/element.ts";

const SVG = "http://www.w3.org/2000/svg";
const svgTags: ReadonlySet<string> = new Set(["svg", "rect"]);

export function toNode(content: HtmlNode): Node {
  if (typeof content === "string") return document.createTextNode(content);
  const { tag, attributes, children } = content;
  const element = svgTags.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(name, value === true ? "" : String(value));
  element.append(...children.map(toNode));
  return element;
}

export function toNodes(contents: Contents): readonly Node[] {
  return flat([contents]).map(toNode);
}
