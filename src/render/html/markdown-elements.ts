// Markdown that others wrote, as elements: paragraphs, headings, lists, quotes, tables, code. Raw HTML is text, pictures
// are links, and a link leads to the web or nowhere. In time linear in the text. Pure.

import { type Contents, type Element, el, said } from "./element.ts";
import { inlineMarkdown } from "./inline-markdown.ts";

/** Quotes and lists inside of others; deeper ones are text. */
const MAX_DEPTH = 5;
/** A longer text is a block of text. */
const MAX_CHARS = 500_000;
const MAX_COLUMNS = 30;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}\s+(\S.*)$/;
const RULE = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)])(?: {1,4}|$)/;
const CHECK = /^\[([ xX])\] /;

export function markdownElements(text: string): readonly Contents[] {
  if (text.length > MAX_CHARS) return [el("pre", {}, said(text))];
  return blocks(text.replaceAll("\r\n", "\n").replaceAll("\t", "    ").split("\n"), 0);
}

function blocks(lines: readonly string[], depth: number): readonly Contents[] {
  const found: Contents[] = [];
  let at = 0;
  while (at < lines.length) {
    const block = blockAt(lines, at, depth);
    if (block.content !== null) found.push(block.content);
    at = block.end;
  }
  return found;
}

type Block = { readonly content: Contents; readonly end: number };

function blockAt(lines: readonly string[], at: number, depth: number): Block {
  const line = lines[at] ?? "";
  if (line.trim() === "") return { content: null, end: at + 1 };
  const fence = fenceOf(line);
  if (fence !== null) return codeBlock(lines, at, fence);
  if (RULE.test(line)) return { content: el("hr"), end: at + 1 };
  const heading = HEADING.exec(line)?.[1];
  // A page has headings of its own, and their order says what is part of what.
  if (heading !== undefined)
    return { content: el("p", { class: "heading" }, el("strong", {}, inlineMarkdown(heading))), end: at + 1 };
  if (depth < MAX_DEPTH && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < MAX_DEPTH && ITEM.test(line)) return list(lines, at, depth);
  const columns = tableColumns(lines, at);
  return columns === null ? paragraph(lines, at, depth) : table(lines, at, columns);
}

/** Backticks with another after them are code in a line. */
function fenceOf(line: string): string | null {
  const [opening, marks] = FENCE.exec(line) ?? [];
  if (opening === undefined || marks === undefined) return null;
  return marks.startsWith("`") && line.includes("`", opening.length) ? null : marks;
}

function codeBlock(lines: readonly string[], at: number, opening: string): Block {
  const char = opening.charAt(0);
  const isEnd = (line: string) => {
    const bare = line.trim();
    return bare.length >= opening.length && bare === char.repeat(bare.length);
  };
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end] ?? "")) end += 1;
  const code = lines.slice(at + 1, end).join("\n");
  return { content: el("pre", { tabindex: 0 }, el("code", {}, said(code))), end: end + 1 };
}

function quote(lines: readonly string[], at: number, depth: number): Block {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end] ?? "")) end += 1;
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return { content: el("blockquote", {}, ...blocks(inside, depth + 1)), end };
}

function list(lines: readonly string[], at: number, depth: number): Block {
  const first = ITEM.exec(lines[at] ?? "");
  const number = first?.[3];
  const kind = number === undefined ? first?.[2] : "ordered";
  const kindOf = (match: RegExpExecArray) => (match[3] === undefined ? match[2] : "ordered");
  const items: string[][] = [];
  let indent = 0;
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    const item = ITEM.exec(line);
    const isNested = items.length > 0 && /\S/.test(line) && line.search(/\S/) >= indent;
    if (item !== null && !isNested && kindOf(item) === kind && !RULE.test(line)) {
      indent = item[0].length;
      items.push([line.slice(indent)]);
    } else if (items.length > 0 && line.trim() === "") {
      const next = lines[end + 1] ?? "";
      const goesOn = next.search(/\S/) >= indent || (ITEM.exec(next) !== null && next.trim() !== "");
      if (!goesOn) break;
      items.at(-1)?.push("");
    } else if (isNested) items.at(-1)?.push(line.slice(indent));
    // A paragraph goes on without being indented.
    else if (items.length > 0 && item === null && lines[end - 1]?.trim() !== "" && !startsBlock(line))
      items.at(-1)?.push(line.trimStart());
    else break;
  }
  const content = el(
    number === undefined ? "ul" : "ol",
    number === undefined || number === "1" ? {} : { start: Number(number) },
    ...items.map((item) => listItem(item, depth)),
  );
  return { content, end: Math.max(end, at + 1) };
}

function listItem(lines: readonly string[], depth: number): Element {
  const [first = "", ...rest] = lines;
  const check = CHECK.exec(first)?.[1];
  const mark = check === undefined ? null : check === " " ? "☐ " : "☑ ";
  const inside = check === undefined ? lines : [first.slice(4), ...rest];
  const isOneLine = rest.every((line) => line.trim() !== "" && !startsBlock(line) && !ITEM.test(line));
  if (isOneLine) return el("li", {}, mark, inlineMarkdown(inside.join("\n").trim()));
  return el("li", {}, mark, ...blocks(inside, depth + 1));
}

function startsBlock(line: string): boolean {
  return fenceOf(line) !== null || HEADING.test(line) || RULE.test(line) || QUOTE.test(line);
}

function paragraph(lines: readonly string[], at: number, depth: number): Block {
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    if (line.trim() === "" || startsBlock(line)) break;
    if (depth < MAX_DEPTH && ITEM.test(line)) break;
  }
  const text = lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join("\n");
  return { content: el("p", {}, inlineMarkdown(text.trimEnd())), end };
}

/** The count of columns of the table that begins here; null where none does. */
function tableColumns(lines: readonly string[], at: number): number | null {
  const [head = "", under = ""] = [lines[at], lines[at + 1]];
  if (!head.includes("|") || !under.includes("-")) return null;
  const marks = cellsOf(under);
  const isUnder = marks.every((cell) => /^:?-+:?$/.test(cell));
  const columns = cellsOf(head).length;
  return isUnder && marks.length === columns && columns <= MAX_COLUMNS ? columns : null;
}

function table(lines: readonly string[], at: number, columns: number): Block {
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) end += 1;
  const row = (line: string, tag: "th" | "td") => {
    const cells = cellsOf(line);
    return el(
      "tr",
      {},
      ...Array.from({ length: columns }, (_, column) => el(tag, {}, inlineMarkdown(cells[column] ?? ""))),
    );
  };
  const content = el(
    "div",
    { class: "scroll", tabindex: 0 },
    el(
      "table",
      {},
      el("thead", {}, row(lines[at] ?? "", "th")),
      el("tbody", {}, ...lines.slice(at + 2, end).map((line) => row(line, "td"))),
    ),
  );
  return { content, end };
}

/** `\|` is no end of a cell. */
function cellsOf(line: string): string[] {
  const bare = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}
