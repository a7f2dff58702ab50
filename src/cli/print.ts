// Standard output of the command: JSON for programs, tables and lines for people.

import { singleLine, visibleText } from "../base/untrusted-text.ts";

const MAX_CELL_CHARS = 60;

/** One JSON value. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Text as it is, but for characters that a terminal would obey. */
export function printText(text: string): void {
  process.stdout.write(`${visibleText(text)}\n`);
}

/** Columns as wide as what is in them. A cell is one line. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, ...rows].map((row) => row.map((cell) => singleLine(cell, MAX_CELL_CHARS)));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    process.stdout.write(`${cells.join("  ").trimEnd()}\n`);
  }
}

/** One line a field; those without a value are left out. */
export function printFields(fields: Readonly<Record<string, string | number | null | undefined>>): void {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(0, ...given.map(([name]) => name.length));
  for (const [name, value] of given) {
    process.stdout.write(`${name.padEnd(width)}  ${visibleText(String(value))}\n`);
  }
}

/** To the minute (UTC); "-" where there is none. */
export function minute(ms: number | null): string {
  return ms === null ? "-" : `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")}Z`;
}

/** Decimal, as storage is sold. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1_000;
  let unit = 0;
  for (; value >= 1_000 && unit < units.length - 1; unit += 1) value /= 1_000;
  return `${value.toFixed(1)} ${units[unit]}`;
}
