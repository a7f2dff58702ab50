// Lines of Markdown, those of code apart from the others. Of Markdown that `inertMarkdown` has written: it has backticks in the marks of its
// fences alone. Pure.

const FENCE = /^[ \t>*+\-\d.)]*(`{3,})/;

type LineMaps = {
  /** A line of text. */
  readonly text: (line: string) => string;
  /** A line inside a fence. */
  readonly code: (line: string) => string;
};

/** The marks of fences stay as they are. */
export function mapLines(markdown: string, { text, code }: LineMaps): string {
  let fence: string | null = null;
  return markdown
    .split("\n")
    .map((line) => {
      const mark = FENCE.exec(line)?.[1];
      if (fence === null && mark !== undefined) {
        fence = mark;
        return line;
      }
      if (fence === null) return text(line);
      if (line.trim().replace(/^[> ]+/, "") === fence) {
        fence = null;
        return line;
      }
      return code(line);
    })
    .join("\n");
}
