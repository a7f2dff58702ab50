// Text that an agent or a repository wrote, made safe to look at: invisible characters become visible. Says nothing of Markdown
// or of a log's command syntax. Pure.

/**
 * In this order: what emoji need (kept), terminal colours (dropped), other control characters, invisible characters.
 * `DI` are the code points that Unicode lets a screen ignore: zero-width and bidi controls, variation selectors,
 * fillers, tag characters (U+E0000–E007F).
 */
const NOTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  /((?<=[\p{ExtPict}\p{EMod}])\uFE0F?\u200D(?=\p{ExtPict})|(?<=\p{ExtPict})[\uFE0E\uFE0F]|(?<=[0-9#*])\uFE0F(?=\u20E3))|(\x1B\[[\d;:]*m)|([\x00-\x08\x0B-\x1F\x7F])|([\x80-\x9F\p{Cs}\p{Zl}\p{Zp}\p{DI}\uFFF9-\uFFFB]+)/gv;

/**
 * Shows what is hidden: ESC as `␛`, a bidi override as `‹U+202E›`, a run of tag characters as `‹U+E0041 and 12 more›`.
 * Newlines and tabs stay, CRLF becomes LF, colour codes go. The result has no lone surrogate.
 */
export function visibleText(text: string): string {
  const lines = text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
  return lines.replace(
    NOTABLE,
    (_match, emoji?: string, colour?: string, control?: string, hidden?: string) => {
      if (emoji !== undefined) return emoji;
      if (colour !== undefined) return "";
      if (control !== undefined) return controlPicture(control.charCodeAt(0));
      return codePointNames(hidden ?? "");
    },
  );
}

/**
 * The text without what is hidden, for a reader to whom a mark would be one more thing to read. As in `visibleText`,
 * emoji keep what joins and colours them; flags spelled in tag characters lose them, and are plain flags.
 */
export function withoutHidden(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replace(NOTABLE, (_match, emoji?: string) => emoji ?? "");
}

/** The text on one line of at most `maxChars`, hidden characters shown, runs of white space as one space. */
export function singleLine(text: string, maxChars: number): string {
  const head = visibleText(wholeChars(text.slice(0, maxChars * 4)))
    .replace(/\s+/g, " ")
    .trim();
  if (head.length <= maxChars && text.length <= maxChars * 4) return head;
  return `${wholeChars(head.slice(0, maxChars - 1)).trimEnd()}…`;
}

/** The text without the half of a surrogate pair that a cut left at its end. */
export function wholeChars(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function controlPicture(code: number): string {
  return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
}

function codePointNames(run: string): string {
  const code = run.codePointAt(0) ?? 0;
  const count = [...run].length;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return count === 1 ? `‹${name}›` : `‹${name} and ${count - 1} more›`;
}
