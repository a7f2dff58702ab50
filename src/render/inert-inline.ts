// One line of untrusted Markdown, inside its paragraph: emphasis and links stay; hidden text, mentions, images and
// anything that ends the paragraph do not. No backtick is kept, so that parsers cannot pair them differently. Pure.

import { inertCode } from "./markdown.ts";

const SPECIAL = new RegExp(
  [
    /\\(?=[!-/:-@[-`{-~])/, // an escape
    /`+/,
    /<!--/,
    /<https?:\/\/[^\s<>\\]*>/, // an autolink
    /</, // a tag
    /!+\[?/, // an image
    /\]\((?:(?:<[^<>]*>|(?:[^()\s]|\([^()\s]*\))*)(?:[ \t]+(?:"[^"]*"|'[^']*'))?[ \t]*\))?/, // a link's target
    /https?:\/\/[^\s<>()[\]`"'|\\!]+/,
    /@[A-Za-z0-9][\w-]*(?:\/[\w.-]+)?/, // a mention
    /&(?=#|[A-Za-z][A-Za-z0-9]*;)/, // an entity
    /~{3,}/, // a fence
    /\]:/, // a definition
    /\$/, // mathematics
  ]
    .map((pattern) => pattern.source)
    .join("|"),
  "g",
);

const HARMLESS_ENTITY = /&(?:amp|lt|gt|quot|apos|nbsp|mdash|ndash|hellip|times|rarr|larr);/y;

/** `opensComment`: the line ends inside an HTML comment that a later line ends. */
type InertLine = { readonly text: string; readonly opensComment: boolean };

/** `commentEndsLater`: some later line has a `-->`. Without one, an opener is shown as text. */
export function inertInline(line: string, commentEndsLater: boolean): InertLine {
  const pairs = backtickPairs(line);
  const lastCommentEnd = line.lastIndexOf("-->");
  const isTableRow = /^\s*\|/.test(line);
  const special = new RegExp(SPECIAL);
  const out: string[] = [];
  let done = 0;
  for (let match = special.exec(line); match !== null; match = special.exec(line)) {
    const [token] = match;
    const at = match.index;
    if (at > done) out.push(line.slice(done, at));
    done = at + token.length;
    if (token === "\\") {
      // An escaped @ still mentions: read it again.
      if (line.charAt(done) !== "@") out.push(escaped(line.charAt(done++)));
    } else if (token.startsWith("`")) {
      const closer = pairs.get(at);
      if (closer === undefined) {
        out.push("&#96;".repeat(token.length));
      } else {
        const code = line.slice(done, closer);
        out.push(`<code>${inertCode(spanText(isTableRow ? code.replaceAll("\\|", "|") : code))}</code>`);
        done = closer + token.length;
      }
    } else if (token === "<!--" && lastCommentEnd >= done) {
      done = line.indexOf("-->", done) + 3;
      // The text on both sides must not join into something new.
      if (/\S$/.test(out.at(-1) ?? "")) out.push(" ");
    } else if (token === "<!--" && commentEndsLater) {
      return { text: out.join(""), opensComment: true };
    } else if (token === "&") {
      HARMLESS_ENTITY.lastIndex = at;
      out.push(HARMLESS_ENTITY.test(line) ? "&" : "&amp;");
    } else if (token.startsWith("@")) {
      // After a letter or a digit it is an e-mail address, which GitHub does not read as a mention.
      out.push(/[A-Za-z0-9]$/.test(out.at(-1) ?? "") ? token : `<code>${inertCode(token)}</code>`);
    } else if (token.startsWith("<http")) {
      if (/[^\s(*_~]$/.test(out.at(-1) ?? "")) out.push(" ");
      out.push(inertAddress(token.slice(1, -1)));
    } else {
      out.push(inertToken(token, line.charAt(done)));
    }
    special.lastIndex = done;
  }
  out.push(line.slice(done));
  return { text: out.join(""), opensComment: false };
}

function inertToken(token: string, next: string): string {
  if (token.startsWith("<")) return `&lt;${token.slice(1)}`;
  if (token.startsWith("![")) return next === "]" ? "[image" : "[";
  if (token.startsWith("!")) return token.endsWith("[") ? `${"&#33;".repeat(token.length - 2)}[` : token;
  if (token.startsWith("](")) return linkTarget(token);
  if (token.startsWith("http")) return inertAddress(token);
  if (token === "$") return "&#36;";
  if (token.startsWith("~")) return "&#126;".repeat(token.length);
  return "]&#58;";
}

function escaped(char: string): string {
  return "<`~&!$".includes(char) ? `&#${char.charCodeAt(0)};` : `\\${char}`;
}

/** The end of a link, without its title; as text where parsers may disagree on the end, or it is no page: it executes or holds data. */
function linkTarget(token: string): string {
  if (token === "](") return "]&#40;";
  const target = token.slice(2, -1);
  const address = /^<([^<>]*)>/.exec(target)?.[1] ?? /^\S*/.exec(target)?.[0] ?? "";
  if (!isPlainAddress(address)) return `]&#40;<code>${inertCode(address)}</code>&#41;`;
  return `](${inertAddress(address)})`;
}

/** A page, a mail, or a place in the repository. A browser drops blanks and control characters before it reads the scheme. */
function isPlainAddress(address: string): boolean {
  const scheme = /^([^/?#]*):/.exec(address.replace(/[\s\p{Cc}]/gu, ""))?.[1];
  return scheme === undefined || /^(?:https?|mailto)$/i.test(scheme);
}

function inertAddress(address: string): string {
  return address.replace(
    /[\s@`<>[\]$]|\\$|&(?=#|[A-Za-z][A-Za-z0-9]*;)/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

/** For each run of backticks, where the next one of its length is. */
function backtickPairs(line: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const next = new Map<number, number>();
  for (const run of [...line.matchAll(/`+/g)].reverse()) {
    const closer = next.get(run[0].length);
    if (closer !== undefined) pairs.set(run.index, closer);
    next.set(run[0].length, run.index);
  }
  return pairs;
}

/** One space on each side is part of a code span's notation. */
function spanText(code: string): string {
  const isSpaced = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  return isSpaced ? code.slice(1, -1) : code;
}
