// A table as CSV (RFC 4180), of which a spreadsheet calculates nothing. Pure.

/** Numbers are ours; texts may be anybody's. */
export type CsvCell = string | number | null;

/** Spreadsheets take a text that begins so for a formula (OWASP, CSV injection). */
const FORMULA_STARTS: ReadonlySet<string> = new Set(["=", "+", "-", "@", "\t", "\r", "\n"]);

/** Lines end with CR and LF. A text that a spreadsheet would calculate has an apostrophe before it. */
export function toCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(",")}\r\n`).join("");
}

function cellText(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = FORMULA_STARTS.has(cell.charAt(0)) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
