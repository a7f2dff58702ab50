// The command in a comment: a line of visible text that begins with the trigger phrase. Code, quotations, links and
// hidden parts do not count. Pure.

import { type Segment, segmentsOf } from "../../job/prompt/segments.ts";

export const commandVerbs = ["review", "fix", "continue", "cancel", "new", "help"] as const;
type CommandVerb = (typeof commandVerbs)[number];

export type CommentCommand = {
  /** Null for a request without a verb. */
  readonly verb: CommandVerb | null;
  /** The text after the phrase and the verb, to the end of the comment. May be empty. */
  readonly request: string;
  /** The text before the line of the command. */
  readonly preamble: string;
};

const MASK = "\uFFFC";

/** Also not the author's own text: some HTML elements, tags, links and link definitions. */
const ASIDE = [
  /<(a|blockquote|code|kbd|q|samp|tt|title|xmp|iframe|noembed|noframes|plaintext)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi,
  /<\/?[a-z][^\s<>/]*(?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?>/gi,
  /(?<=(?<!\\)(?:\\\\)*)\[(?:\\.|[^\\[\]])*\]:[ \t]*(?:\n[ \t]*)?(?:<[^<>\n]*>|\S+)(?:[ \t]*(?:\n[ \t]*)?(?:"[^"]*"|'[^']*'|\([^()]*\))(?=[ \t]*(?:\n|$)))?/g,
] as const;
/**
 * A link or an image within one paragraph. A nested one is masked first, the outer one in the next round. None begins at
 * an escaped bracket: a text of nothing else would be read to its end from each of them.
 */
const LINK =
  /!?(?<=(?<!\\)(?:\\\\)*!?)\[(?:\\.|[^\\[\]\n]|\n(?![ \t]*\n))*\](?:\((?:\\.|[^\\()\n]|\n(?![ \t]*\n))*\)|\[(?:\\.|[^\\[\]\n])*\])?/g;
const MAX_NESTED_LINKS = 4;

/**
 * "On … wrote:" in whatever language, by the address that stands in it; "wrote:" alone at the end of such a line; a rule
 * with a title; a rule of underscores before a header; a block of headers.
 */
const QUOTED_MAIL = new RegExp(
  [
    String.raw`[^\n]{0,300}<[^<>\s]{1,200}@[^<>\s]{1,200}>[^\n]{0,80}:[ \t]*$`,
    String.raw`[ \t]{0,3}On [^\n]{1,300}(?:\n[^\n]{1,300})?(?:\s)wrote:[ \t]*$`,
    String.raw`[ \t]{0,3}-{2,10} ?[\p{L}' ]{3,40} ?-{2,10}[ \t]*$`,
    String.raw`_{10,100}[ \t]*\n[ \t]*\n?\*{0,2}[\p{L}]{2,20}:`,
    String.raw`\*{0,2}\p{L}{2,20}\*{0,2}:\*{0,2} [^\n]{0,300}\n\*{0,2}(?:Sent|Date|To|Gesendet|Datum|An|Envoyé|À|Enviado|Para|Inviato|Verzonden)\*{0,2}:\*{0,2} `,
  ]
    .map((form) => `^(?:${form})`)
    .join("|"),
  "mu",
);

/** The first command of a comment; null where there is none. The phrase is not case-sensitive. */
export function parseCommand(comment: string, phrase: string): CommentCommand | null {
  const text = withoutQuotedMail(comment.replaceAll(/\r\n?/g, "\n"));
  // Most comments end here.
  if (!text.toLowerCase().includes(phrase.toLowerCase())) return null;
  const seen = ownWords(segmentsOf(text));
  const match = new RegExp(`(?<=^|\\n) {0,3}${escapeRegExp(phrase)}(?=\\s|$)`, "iu").exec(seen);
  if (match === null) return null;
  const rest = text.slice(match.index + match[0].length);
  const verb = commandVerbs.find((word) => new RegExp(`^[ \\t]+${word}(?=\\s|$)`, "i").test(rest)) ?? null;
  const request = verb === null ? rest : rest.slice(rest.search(/\S/) + verb.length);
  return { verb, request: request.trim(), preamble: text.slice(0, match.index).trim() };
}

/**
 * The comment above an e-mail that it quotes without ">", as Outlook and others do: what follows is another person's. GitHub
 * keeps it in the comment of whoever replied. In doubt a line ends the comment: a command below it is not read.
 */
function withoutQuotedMail(text: string): string {
  const at = text.search(QUOTED_MAIL);
  return at < 0 ? text : text.slice(0, at);
}

/** The text at the same length, with everything masked that is not the author's own text. */
function ownWords(segments: readonly Segment[]): string {
  const shown = segments.map(({ kind, text }) => (kind === "text" ? text : mask(text))).join("");
  const links = Array.from({ length: MAX_NESTED_LINKS }, () => LINK);
  return [...ASIDE, ...links].reduce((seen, aside) => seen.replace(aside, mask), shown);
}

function mask(text: string): string {
  return text.replaceAll(/[^\n]/g, MASK);
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
