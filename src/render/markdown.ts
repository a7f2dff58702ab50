// The pieces of Markdown that we write ourselves, for GitHub's dialect. Their arguments stay text. Pure.

import { singleLine, visibleText } from "../base/untrusted-text.ts";

const SQUARES = 5;
const MAX_URL_CHARS = 2_000;

/** A fenced block whose fence is longer than any backtick run inside. `info` is kept if it is one plain word. */
export function fence(text: string, info = ""): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${plainInfo(info)}\n${text}\n${ticks}`;
}

/** The language of a fence if it is one plain word, or "". */
export function plainInfo(info: string): string {
  return /^[A-Za-z0-9_+#.-]{1,40}$/.exec(info)?.[0] ?? "";
}

/**
 * A code span, as an HTML element: it means the same in a table, a heading and a `<summary>`, whatever backticks are
 * around it, and GitHub reads no mention and no issue number inside.
 */
export function inlineCode(text: string): string {
  return `<code>${inertCode(singleLine(text, 1_000))}</code>`;
}

/** Text for the inside of a `<code>` element: every character that Markdown or HTML might read is an entity. */
export function inertCode(text: string): string {
  return text.replace(/[&<>\\`*_~[\]|$]|:(?=\/\/)/g, entity);
}

/** One line of text for a heading, a table's cell or a paragraph. It mentions nobody and links no issue. */
export function escapeMarkdown(text: string, maxChars = 1_000): string {
  return singleLine(text, maxChars).replace(
    /(?<![\w./-])[\w./-]*[@#][\w./@#-]*|\bGH-\d+|[&<>\\`*_~[\]|$]|^[-+=]|^\d+(?=[.)])/gi,
    (match) => (/[@#-]\w/.test(match) ? `<code>${inertCode(match)}</code>` : entities(match)),
  );
}

/** A link; the text alone when the address is not http or https. */
export function link(text: string, url: string): string {
  return linkMarkdown(escapeMarkdown(text), url);
}

/** A code span that links; the span alone without an address. */
export function linkedCode(text: string, url: string | null): string {
  return url === null ? inlineCode(text) : linkMarkdown(inlineCode(text), url);
}

/** A link whose label is Markdown already. */
export function linkMarkdown(label: string, url: string): string {
  if (url.length > MAX_URL_CHARS) return label;
  if (!/^https?:\/\/[^\s/]/i.test(url) || !URL.canParse(url)) return label;
  const address = new URL(url).href.replace(/[()<>\\`|"']/g, percentCode);
  return `[${label}](${address})`;
}

/** `+12 −3` and five squares, as on a pull request. */
export function diffstat(additions: number, deletions: number): string {
  const changed = additions + deletions;
  const filled = Math.min(SQUARES, changed);
  const green = changed === 0 ? 0 : Math.round((filled * additions) / changed);
  const squares = "🟩".repeat(green) + "🟥".repeat(filled - green) + "⬜".repeat(SQUARES - filled);
  return `+${additions} −${deletions} ${squares}`;
}

/** A fenced block of untrusted text. */
export function untrustedFence(text: string, info = ""): string {
  return fence(visibleText(text), info);
}

function entities(text: string): string {
  return [...text].map(entity).join("");
}

function entity(char: string): string {
  if (char === "&") return "&amp;";
  if (char === "<") return "&lt;";
  if (char === ">") return "&gt;";
  return `&#${char.codePointAt(0)};`;
}

function percentCode(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
