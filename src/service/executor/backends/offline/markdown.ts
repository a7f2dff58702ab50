// Markdown around text of a repository, which nobody vouches for: in a code span it can be neither a mention, a link,
// an image nor HTML, and every character of it can be seen. Pure.

const DEFAULT_MAX_CHARS = 160;
/** Joiners and variation selectors of emoji. */
const emojiParts = /[\u200d\ufe00-\ufe0f]/g;
/** Controls, formats, bidirectional marks, surrogates, line separators, fillers that render as nothing. */
const invisible = /\p{C}|[\u2028\u2029\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu;

/** An inline code span of one line; its fence is longer than any run of backticks inside. */
export function code(text: string, maxChars = DEFAULT_MAX_CHARS): string {
  const shown = visible(text, maxChars);
  if (shown.trim() === "") return "(empty)";
  const longest = (shown.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const fence = "`".repeat(longest + 1);
  const padding = /^[` ]|[` ]$/.test(shown) ? " " : "";
  return `${fence}${padding}${shown}${padding}${fence}`;
}

/** One line in which every character can be seen, at most `maxChars` of them. */
export function visible(text: string, maxChars = DEFAULT_MAX_CHARS): string {
  const start = text.slice(0, maxChars * 2 + 2).replace(emojiParts, "");
  const characters = [...start];
  const isCut = characters.length > maxChars || text.length > maxChars * 2 + 2;
  const shown = isCut ? `${characters.slice(0, maxChars - 1).join("")}…` : start;
  return shown.replace(invisible, escapeCharacter);
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
