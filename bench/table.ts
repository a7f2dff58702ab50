// The benchmark's table: what was measured, beside what it is compared to and what was asked. Pure.

export type Row = {
  readonly what: string;
  readonly ours: string;
  /** Measured in the same run. */
  readonly beside: string;
  /** What the best other tool was seen to do, not measured here. */
  readonly best: string;
  readonly asked: string;
  readonly isReached: boolean;
};

const headings = ["what", "ours", "beside it, same run", "best seen elsewhere", "asked", ""] as const;

export function renderTable(rows: readonly Row[]): string {
  const cells = [
    [...headings],
    ...rows.map((row) => [
      row.what,
      row.ours,
      row.beside,
      row.best,
      row.asked,
      row.isReached ? "reached" : "NOT REACHED",
    ]),
  ];
  const widths = headings.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${[lines[0], widths.map((width) => "─".repeat(width)).join("  "), ...lines.slice(1)].join("\n")}\n`;
}
