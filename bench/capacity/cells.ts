// Cells of the capacity page's tables: numbers with their units, and Markdown. Pure.

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

export function share(value: number): string {
  return `${Math.ceil(value * 100)} %`;
}

export function factor(value: number): string {
  return `${plain(value)} ×`;
}

export function millis(value: number): string {
  if (value < 0.001) return "0 ms";
  if (value >= 1_000) return `${plain(value / 1000)} s`;
  return value >= 0.1 ? `${plain(value)} ms` : `${plain(value * 1000)} µs`;
}

const UNITS = [
  { unit: "PB", size: 1e15 },
  { unit: "TB", size: 1e12 },
  { unit: "GB", size: 1e9 },
  { unit: "MB", size: 1e6 },
  { unit: "KB", size: 1e3 },
] as const;

export function bytes(value: number): string {
  const found = UNITS.find(({ size }) => value >= size);
  return found === undefined ? `${plain(value)} B` : `${plain(value / found.size)} ${found.unit}`;
}

/** Two significant digits: the figures are no better. */
export function plain(value: number): string {
  if (!Number.isFinite(value)) return "∞";
  return Number(value.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 4 });
}

export function count(value: number): string {
  return Math.ceil(value).toLocaleString("en");
}
