// Elements as nodes of the document, and what changed between two elements on a node. No HTML is parsed: the page's policy lets
// nobody do that.

import { type Contents, type Element as Drawn, flat, type HtmlNode } from "../../render/html/element.ts";

const SVG = "http://www.w3.org/2000/svg";
const svgTags: ReadonlySet<string> = new Set(["svg", "rect"]);

export function toNode(content: HtmlNode): Node {
  if (typeof content === "string") return document.createTextNode(content);
  const { tag, attributes, children } = content;
  const kept = isKept(content) ? document.getElementById(String(attributes.id)) : null;
  if (kept !== null) return kept;
  const element = svgTags.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.map(toNode));
  return element;
}

export function toNodes(contents: Contents): readonly Node[] {
  return flat([contents]).map(toNode);
}

/** `node` was drawn as `before`. What is the same stays as it is, with what its reader has opened or marked in it. */
export function redraw(node: Element, before: Drawn, after: Drawn): void {
  if (before === after) return;
  for (const name of Object.keys(before.attributes))
    if (after.attributes[name] === undefined) node.removeAttribute(name);
  for (const [name, value] of Object.entries(after.attributes))
    if (value !== before.attributes[name]) setAttribute(node, name, value);
  if (!before.children.every(isElement) || !after.children.every(isElement)) {
    if (!isSame(before, after)) node.replaceChildren(...after.children.map(toNode));
    return;
  }
  let same = 0;
  while (same < after.children.length && before.children[same] === after.children[same]) same += 1;
  const old = new Map(
    before.children
      .slice(same)
      .map((child, at) => [keyOf(child, at), { child, node: node.children[same + at] }]),
  );
  const nodes = after.children.slice(same).map((child, at) => {
    const known = old.get(keyOf(child, at));
    if (known?.node === undefined || known.child.tag !== child.tag) return toNode(child);
    if (known.child !== child && isKept(known.child)) return toNode(child);
    redraw(known.node, known.child, child);
    return known.node;
  });
  place(node, nodes, same);
}

/** Whether the page has it, as nobody here can draw it. */
function isKept({ attributes }: Drawn): boolean {
  return attributes["data-kept"] === true;
}

function isElement(content: HtmlNode): content is Drawn {
  return typeof content !== "string";
}

function keyOf({ tag, attributes: { id } }: Drawn, at: number): string {
  return id === undefined ? `${tag} ${at}` : String(id);
}

function isSame(a: HtmlNode, b: HtmlNode): boolean {
  if (!isElement(a) || !isElement(b)) return a === b;
  const names = Object.keys({ ...a.attributes, ...b.attributes });
  return (
    a.tag === b.tag &&
    a.children.length === b.children.length &&
    names.every((name) => a.attributes[name] === b.attributes[name]) &&
    a.children.every((child, at) => isSame(child, b.children[at] ?? ""))
  );
}

/** From the child at `from` on. */
function place(parent: Element, nodes: readonly Node[], from: number): void {
  const wanted = new Set(nodes);
  let old = parent.children[from] ?? null;
  while (old !== null) {
    const next = old.nextElementSibling;
    if (!wanted.has(old)) old.remove();
    old = next;
  }
  let at: Node | null = parent.children[from] ?? null;
  for (const node of nodes) {
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
}

function setAttribute(element: Element, name: string, value: string | number | true | undefined): void {
  if (value !== undefined) element.setAttribute(name, value === true ? "" : String(value));
}
