// The first paragraph of a README, as plain text. Pure.

const MAX_READ_CHARS = 16 * 1024;
const MIN_PROSE_CHARS = 20;
const namePattern = /^readme(\.(md|markdown|rst|txt|adoc|org))?$/i;
/** Lists, tables, indented code, directives and link definitions. */
const noProse = /^( {4}|\t|\s*([-*+]|\d+[.)])\s|\s*\||\s*\.\. |\s*:\w+:|\s*\[[^\]]{1,200}\]: )/;
const heading = /^\s*#{1,6}(\s|$)|^=+ /;
const underline = /^\s*([=\-~^*#"'`.+])\1{2,}\s*$/;

/** The README of the root folder, if there is one. */
export function findReadme(paths: readonly string[]): string | null {
  const found = paths.filter((path) => namePattern.test(path));
  return found.find((path) => /\.md$/i.test(path)) ?? found[0] ?? null;
}

/** The first paragraph of prose: no heading, badge, list, table, code, HTML or comment. Null when there is none. */
export function firstParagraph(readme: string): string | null {
  const text = readme
    .slice(0, MAX_READ_CHARS)
    .replace(/\r\n?/g, "\n")
    // A comment or a fence that is not closed hides the rest.
    .replace(/<!--[\s\S]*?(?:-->|$(?![\s\S]))/g, "")
    .replace(/^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1.*$|$(?![\s\S]))/gm, "");
  for (const block of text.split(/\n[ \t]*\n/)) {
    const prose = plainText(block);
    if (prose.length >= MIN_PROSE_CHARS && /\p{L}\S{0,40} \S{0,40}\p{L}/u.test(prose)) return prose;
  }
  return null;
}

function plainText(block: string): string {
  const lines = block.split("\n").filter((line) => line.trim() !== "");
  const body = lines.slice(lines.findIndex((line) => underline.test(line)) + 1);
  const prose = body.filter((line) => !heading.test(line));
  if (prose.some((line) => noProse.test(line))) return "";
  return prose
    .join(" ")
    .replace(/!\[[^[\]]{0,300}\](\([^()]{0,1000}\)|\[[^[\]]{0,300}\])/g, "")
    .replace(/\[([^[\]]{0,300})\](\([^()]{0,1000}\)|\[[^[\]]{0,300}\])/g, "$1")
    .replace(/<[^<>]{0,1000}>/g, "")
    .replace(/(^|\s)>\s?/g, "$1")
    .replace(/\*{1,3}|__|``?/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
