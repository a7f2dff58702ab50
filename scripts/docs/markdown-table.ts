// A table of Markdown. Pure.

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The text as code, or nothing where there is none. */
export function codeOrNothing(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}
