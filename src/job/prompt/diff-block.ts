// A diff in a prompt. Pure.

/** As code, so that a sanitiser does not read the diff as Markdown. */
export function diffBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}diff\n${text}\n${fence}`;
}
