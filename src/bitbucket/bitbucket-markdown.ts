// Our Markdown as Bitbucket reads it, and back. Bitbucket escapes HTML, and shows what is hidden from other code hosts' readers: hidden lines
// become link definitions that nothing refers to, which it keeps as they were sent; the few elements that we write become Markdown.
// https://bitbucket.org/tutorials/markdowndemo, https://github.com/The-PR-Agent/pr-agent/issues/3283 (2026-11-29). Pure.

import { mapLines } from "../job/code-host/mapped-lines.ts";

const HIDDEN = /^<!-- (agent-service:[\w: -]+) -->$/;
const DEFINITION = /^\[\/\/\]: # \((agent-service:[\w: -]+)\)$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** What is sent. */
export function toBitbucket(text: string): string {
  const lines: string[] = [];
  const plain = mapLines(text, {
    text: (line) => (HIDDEN.test(line) ? line : withoutElements(line)),
    code: same,
  });
  for (const line of plain.split("\n")) {
    const hidden = HIDDEN.exec(line)?.[1];
    const before = lines.at(-1) ?? "";
    if (hidden === undefined) {
      // A definition ends at a blank line, or the text after it could become its title.
      if (DEFINITION.test(before) && line.trim() !== "") lines.push("");
      lines.push(line);
      continue;
    }
    // A definition cannot follow a paragraph without a blank line.
    if (before.trim() !== "" && !DEFINITION.test(before)) lines.push("");
    lines.push(`[//]: # (${hidden})`);
  }
  return lines.join("\n");
}

/** What was sent, as the markers' readers know it. */
export function fromBitbucket(raw: string): string {
  return raw
    .split(/\r?\n/)
    .map((line) => line.replace(DEFINITION, "<!-- $1 -->"))
    .join("\n");
}

function same(line: string): string {
  return line;
}

/** `<sub>`, `<details>`, `<summary>` and `<code>` are all that we write. Folded text is shown. */
function withoutElements(line: string): string {
  return line
    .replace(/<\/?(?:sub|details)>/g, "")
    .replace(/<summary>((?:(?!<summary>).)*?)<\/summary>/g, "**$1**")
    .replace(/<code>((?:(?!<code>).)*?)<\/code>/g, (_match, inner: string) => codeSpan(inner));
}

/** A span of code, as backticks have it; as text, with its entities, where that has backticks, or could end a table's cell. */
function codeSpan(inner: string): string {
  const text = inner.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|(\w+));/gi, (entity, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name] ?? entity;
  });
  return text.trim() === "" || /[`|\\]/.test(text) ? inner : `\`${text}\``;
}
