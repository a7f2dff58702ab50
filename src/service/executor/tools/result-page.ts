// Puts lines of a result on one page: no more than can be read, and a note of the next ones. Pure.

/** The most that an answer has, unless more was asked for. */
const PAGE_BYTES = 30_000;

type PageOf = {
  /** Of the first line, counted from 1. */
  readonly offset: number;
  readonly total: number;
  /** False: `total` is a lower bound. */
  readonly isCounted?: boolean;
  /** The noun of the counted things, in the plural. */
  readonly noun: string;
  /** Said at the end of every page. */
  readonly always?: string;
};

/** The lines that fit, and a note where they are not all. */
export function takePage(lines: readonly string[], page: PageOf): string {
  const { offset, total, isCounted = true, noun, always } = page;
  const shown: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > PAGE_BYTES && shown.length > 0) break;
    shown.push(line);
  }
  const last = offset + shown.length - 1;
  const all = `${isCounted ? "" : "at least "}${total}`;
  if (shown.length === 0) shown.push(`[offset ${offset} is behind the last of ${all} ${noun}]`);
  else if (offset > 1 || last < total || !isCounted) {
    const next = last < total ? `; next page: offset ${last + 1}` : "";
    shown.push(`[${noun} ${offset} to ${last} of ${all}${next}]`);
  }
  if (always !== undefined) shown.push(`[${always}]`);
  return shown.join("\n");
}
