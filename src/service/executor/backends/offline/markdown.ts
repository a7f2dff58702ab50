// Markdown around text that nobody vouches for. Everything of a repository's goes into code: there it can be
// neither a mention, a link, an image, HTML, nor invisible. Pure.

const DEFAULT_MAX_CHARS = 160;
const WRAP_COLUMNS = 96;

/** Joiners and selectors that only dress up an emoji. */
const emojiDressing = /[\u200d\ufe00-\ufe0f]/g;
/** Controls, formats, bidirectional marks, surrogates, line separators, fillers that render as nothing. */
const unseen = /\p{C}|[\u2028\u2029\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu;

/** One line in which every character can be seen, at most `maxChars` of them. */
export function visible(text: string, maxChars = DEFAULT_MAX_CHARS): string {
  const start = text.slice(0, maxChars * 2 + 2).replace(emojiDressing, "");
  const characters = [...start];
  const cut = characters.length > maxChars || text.length > maxChars * 2 + 2;
  const shown = cut ? `${characters.slice(0, maxChars - 1).join("")}…` : start;
  return shown.replace(unseen, escapeCharacter);
}

/** An inline code span; its fence is longer than any run of backticks inside. */
export function code(text: string, maxChars = DEFAULT_MAX_CHARS): string {
  const shown = visible(text, maxChars);
  if (shown.trim() === "") return "(empty)";
  const fence = "`".repeat(longestRun(shown) + 1);
  const padding = /^[` ]|[` ]$/.test(shown) ? " " : "";
  return `${fence}${padding}${shown}${padding}${fence}`;
}

/** A fenced block of running text, wrapped, each line of it visible. */
export function textBlock(text: string, maxChars: number): string {
  const lines = wrap(visible(text.replace(/\s+/g, " ").trim(), maxChars));
  const fence = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
  return [`${fence}text`, ...lines, fence].join("\n");
}

/** A table. Cells are Markdown already; a pipe in them is escaped here. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapePipes).join(" | ")} |`;
  // A header that ends in a colon is a column of numbers.
  const rule = header.map((name) => (name.endsWith(":") ? "---:" : "---"));
  const titles = header.map((name) => name.replace(/:$/, ""));
  return [line(titles), line(rule), ...rows.map(line)].join("\n");
}

/** A section with its heading, ready to be followed by another. */
export function section(heading: string, ...blocks: readonly string[]): string {
  return `## ${heading}\n\n${blocks.filter((block) => block !== "").join("\n\n")}\n\n`;
}

/** Backslashes cannot be escaped inside a code span, so a pipe behind one gives way to its twin. */
function escapePipes(cell: string): string {
  return cell.replace(/(\\+)\|/g, "$1¦").replaceAll("|", "\\|");
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length >= WRAP_COLUMNS) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
