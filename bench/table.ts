// The benchmark's table: what was measured on each store, beside what it is compared to and what was asked. Long cells
// go on in the next line, so that it stays readable in a terminal. Pure.

export type Figure = {
  readonly text: string;
  /** Absent: nothing was asked of it. */
  readonly isReached?: boolean;
};

export type Row = {
  readonly what: string;
  /** What hangs on no store stands under the embedded one. */
  readonly sqlite: Figure | null;
  readonly postgres: Figure | "no database" | null;
  /** Measured in the same run. */
  readonly floor: string;
  /** What the best other tool was seen to do, not measured here. */
  readonly best?: string;
  readonly asked?: string;
};

const columns = [
  { heading: "what", width: 26 },
  { heading: "embedded (SQLite)", width: 19 },
  { heading: "PostgreSQL", width: 19 },
  { heading: "floor, same run", width: 25 },
  { heading: "best seen elsewhere", width: 11 },
  { heading: "asked", width: 12 },
  { heading: "reached", width: 10 },
] as const;

export function renderTable(rows: readonly Row[]): string {
  const rule = columns.map(({ width }) => "─".repeat(width)).join("  ");
  const heading = renderLine(columns.map((column) => column.heading));
  const body = rows.map((row) =>
    renderLine([
      row.what,
      textOf(row.sqlite),
      textOf(row.postgres),
      row.floor,
      row.best ?? "–",
      row.asked ?? "–",
      reachedBy(row),
    ]),
  );
  return `${heading}${rule}\n${body.join("\n")}`;
}

function textOf(figure: Row["postgres"]): string {
  if (figure === null) return "–";
  return figure === "no database" ? "no database: set TEST_DATABASE_URL" : figure.text;
}

function reachedBy({ sqlite, postgres }: Row): string {
  const asked = [
    { store: "SQLite", figure: sqlite },
    { store: "PostgreSQL", figure: postgres === "no database" ? null : postgres },
  ].filter(({ figure }) => figure?.isReached !== undefined);
  if (asked.length === 0) return "–";
  const missed = asked.filter(({ figure }) => figure?.isReached === false).map(({ store }) => store);
  if (missed.length === 0) return "yes";
  return asked.length === 1 ? "NO" : `NO: ${missed.join(", ")}`;
}

function renderLine(cells: readonly string[]): string {
  const wrapped = cells.map((cell, column) => wrap(cell, columns[column]?.width ?? 0));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  const lines = Array.from({ length: height }, (_, line) =>
    wrapped
      .map((cell, column) => (cell[line] ?? "").padEnd(columns[column]?.width ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** Breaks at newlines, and between words where a line gets too long. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}
