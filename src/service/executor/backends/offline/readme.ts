// Finds the first paragraph of a README that says something, as plain text. Pure.

const MAX_READ_CHARS = 16 * 1024;
const MIN_PROSE_CHARS = 20;
const namePattern = /^readme(\.(md|markdown|rst|txt|adoc|org))?$/i;

/** The README of the root folder, if there is one. */
export function findReadme(paths: readonly string[]): string | null {
  const found = paths.filter((path) => namePattern.test(path));
  return found.find((path) => /\.md$/i.test(path)) ?? found[0] ?? null;
}

/** The first paragraph of prose: no heading, badge, list, table, code, HTML or comment. Null when there is none. */
export function firstParagraph(readme: string): string | null {
  const text = withoutFences(withoutComments(readme.slice(0, MAX_READ_CHARS).replace(/\r\n?/g, "\n")));
  for (const block of text.split(/\n[ \t]*\n/)) {
    const prose = plainText(block);
    if (prose.length >= MIN_PROSE_CHARS && /\p{L}\S{0,40} \S{0,40}\p{L}/u.test(prose)) return prose;
  }
  return null;
}

/** A comment that is not closed hides the rest, so the rest is left out. */
function withoutComments(text: string): string {
  let kept = "";
  let at = 0;
  while (true) {
    const start = text.indexOf("<!--", at);
    if (start < 0) return kept + text.slice(at);
    kept += text.slice(at, start);
    const end = text.indexOf("-->", start);
    if (end < 0) return kept;
    at = end + 3;
  }
}

function withoutFences(text: string): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]?.slice(0, 3) ?? null;
    if (fence === null && mark !== null) fence = mark;
    else if (fence !== null && mark === fence) fence = null;
    else if (fence === null) kept.push(line);
  }
  return kept.join("\n");
}

function plainText(block: string): string {
  const lines = block.split("\n").filter((line) => line.trim() !== "");
  const underlined = lines.findIndex((line) => /^\s*([=\-~^*#"'`.+])\1{2,}\s*$/.test(line));
  const body = underlined >= 0 ? lines.slice(underlined + 1) : lines;
  const prose = body.filter((line) => !/^\s*#{1,6}(\s|$)/.test(line) && !/^=+ /.test(line));
  if (
    prose.some((line) =>
      /^( {4}|\t|\s*([-*+]|\d+[.)])\s|\s*\||\s*\.\. |\s*:\w+:|\s*\[[^\]]{1,200}\]: )/.test(line),
    )
  ) {
    return "";
  }
  return prose
    .join(" ")
    .replace(/!\[[^\]]{0,300}\]\([^)]{0,1000}\)/g, "")
    .replace(/!\[[^\]]{0,300}\]\[[^\]]{0,300}\]/g, "")
    .replace(/\[([^\]]{0,300})\](\([^)]{0,1000}\)|\[[^\]]{0,300}\])/g, "$1")
    .replace(/<[^>]{0,1000}>/g, "")
    .replace(/(^|\s)>\s?/g, "$1")
    .replace(/\*{1,3}|__|``?/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
