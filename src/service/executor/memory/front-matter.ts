// Front matter of a Markdown file: `name: value` between two lines of "---", which is often no YAML. Pure.
// Why: docs/decisions/138-small-parsers-of-our-own.md

const MAX_HEAD_CHARS = 8_000;
const RULE = "---";

type FrontMatter = {
  /** Values as text, in their line or folded from the indented lines below it. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
};

/** A file without such a head is all body. */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.slice(0, MAX_HEAD_CHARS).split("\n").map(withoutReturn);
  const end = lines.indexOf(RULE, 1);
  if (lines[0] !== RULE || end < 0) return { fields: new Map(), body: text };
  const fields = new Map<string, string>();
  let open: string | null = null;
  for (const line of lines.slice(1, end)) {
    const colon = line.indexOf(":");
    if (line.startsWith(" ") || line.startsWith("\t")) {
      if (open !== null) fields.set(open, `${fields.get(open) ?? ""} ${line.trim()}`.trim());
    } else if (colon > 0) {
      open = line.slice(0, colon).trim();
      fields.set(open, plainValue(line.slice(colon + 1).trim()));
    }
  }
  return { fields, body: bodyAfter(text, end + 1) };
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Without quotes, and without the sign of a text that follows in lines of its own. */
function plainValue(value: string): string {
  if ([">", "|", ">-", "|-", ">+", "|+"].includes(value)) return "";
  const quote = value[0];
  const isQuoted = (quote === '"' || quote === "'") && value.length > 1 && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}

function bodyAfter(text: string, lines: number): string {
  let at = 0;
  for (let line = 0; line < lines; line += 1) {
    const end = text.indexOf("\n", at);
    if (end < 0) return "";
    at = end + 1;
  }
  return text.slice(at);
}
