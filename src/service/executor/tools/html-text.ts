// The plain text of an HTML page. One pass without regular expressions over the whole page, so it is linear for any
// input. Pure.

const hidden = new Set(["script", "style", "noscript", "template", "svg", "iframe", "textarea", "select"]);
const breaking = new Set(
  "address article aside blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th title tr ul".split(
    " ",
  ),
);
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  mdash: "—",
  ndash: "–",
  hellip: "…",
};
/** `<`, `/`, the longest name of an element, and some more. */
const TAG_CHARS = 32;

/** The text without scripts, styles and the like; blocks start on a new line, `<pre>` keeps its spaces. */
export function htmlToText(html: string): string {
  // Letters of ASCII only: other foldings change the length.
  const lower = html.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const parts: string[] = [];
  let isPreformatted = false;
  const say = (text: string) => {
    const read = decodeEntities(text);
    parts.push(isPreformatted ? read : read.replace(/\s+/g, " "));
  };
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf("<", at);
    say(html.slice(at, open < 0 ? html.length : open));
    if (open < 0) break;
    if (html.startsWith("<!--", open)) {
      at = after(html, "-->", open + 4);
      continue;
    }
    const [, slash, name] = /^<(\/?)([a-z][a-z0-9]*)/.exec(lower.slice(open, open + TAG_CHARS)) ?? [];
    if (name === undefined && !/^<[!?/]/.test(html.slice(open, open + 2))) {
      parts.push("<");
      at = open + 1;
      continue;
    }
    at = after(html, ">", open);
    if (name === undefined) continue;
    const isEnd = slash === "/";
    if (hidden.has(name) && !isEnd) {
      const end = lower.indexOf(`</${name}`, at);
      at = end < 0 ? html.length : end;
    }
    if (name === "pre") isPreformatted = !isEnd;
    if (breaking.has(name)) parts.push(name === "li" && !isEnd ? "\n- " : "\n");
  }
  return tidy(parts.join("")).toWellFormed();
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,6}));/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return entities[String(name)] ?? whole;
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** Without spaces at the ends of lines, and with at most one empty line in a row. */
function tidy(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n").map((each) => each.trimEnd())) {
    if (line !== "" || (lines.at(-1) ?? "") !== "")
      lines.push(line.startsWith("  ") ? line : line.trimStart());
  }
  return lines.join("\n").trim();
}
