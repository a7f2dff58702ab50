// Lines of a file that were there before a push. By content, so that a rebase does not make everything new. Pure.

/**
 * Whether the lines `startLine` to `line` of `after` stand in `before`, each between the same neighbours. Lines are counted
 * from 1.
 */
export function areUnchanged(
  { before, after }: { readonly before: string; readonly after: string },
  { startLine, line }: { readonly startLine: number; readonly line: number },
): boolean {
  const lines = after.split("\n");
  if (line > lines.length) return false;
  const known = new Set(windowsOf(before.split("\n")));
  return windowsOf(lines)
    .slice(startLine - 1, line)
    .every((window) => known.has(window));
}

/** Each line with the ones before and after it. */
function windowsOf(lines: readonly string[]): string[] {
  return lines.map((text, index) =>
    JSON.stringify([lines[index - 1] ?? null, text, lines[index + 1] ?? null]),
  );
}
