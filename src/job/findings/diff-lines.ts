// The lines of a file that a pull request's diff shows: comments are possible only there. Pure.
// https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files

/** Lines of the new file that follow each other, both ends inclusive. */
export type LineRange = { readonly first: number; readonly last: number };

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** One range a hunk. Lines are counted: the hunk's own numbers are wrong where the code host cut the patch. */
export function shownLines(patch: string): readonly LineRange[] {
  const ranges: LineRange[] = [];
  let first = 0;
  let next = 0;
  const close = () => {
    if (next > first) ranges.push({ first, last: next - 1 });
  };
  for (const line of patch.split("\n")) {
    const start = HUNK.exec(line)?.[1];
    if (start !== undefined) {
      close();
      first = Number(start);
      next = first;
    } else if (first > 0 && (line.startsWith("+") || line.startsWith(" "))) next += 1;
  }
  close();
  return ranges;
}

/** Whether one hunk shows all of the lines: a comment cannot span two. */
export function isShown(ranges: readonly LineRange[], lines: { startLine: number; line: number }): boolean {
  return ranges.some(({ first, last }) => first <= lines.startLine && lines.line <= last);
}
