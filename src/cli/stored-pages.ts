// A page of the operator's store: its flags, and its print.

import { integer } from "../base/settings/kinds.ts";
import { anyText, valueFlag } from "./flags.ts";
import { storeFlags } from "./operate.ts";
import { printTable } from "./print.ts";

const MAX_PAGE_ROWS = 1_000;
const PAGE_ROWS = 50;

/** Flags of every command that lists rows of the store, newest first. */
export const storedPageFlags = {
  ...storeFlags,
  before: valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<id>",
    description: "Only what is older than the one with this id.",
  }),
  limit: valueFlag({
    kind: integer({ min: 1, max: MAX_PAGE_ROWS }),
    fallback: PAGE_ROWS,
    takes: "<n>",
    description: "How many.",
  }),
};

export const accountFlag = valueFlag({
  kind: anyText,
  fallback: null,
  takes: "<id>",
  description: "Only what is this account's.",
});

/** A table; on standard error, what there is none of, or how to read on after a full page. */
export function printStoredPage<Row extends { readonly id: string }>(page: {
  readonly rows: readonly Row[];
  readonly limit: number;
  readonly head: readonly string[];
  readonly cells: (row: Row) => readonly string[];
  /** Said where there is no row. */
  readonly none: string;
}): void {
  const { rows, limit, head, cells, none } = page;
  const last = rows.at(-1);
  if (last === undefined) {
    process.stderr.write(`${none}\n`);
    return;
  }
  printTable(head, rows.map(cells));
  if (rows.length === limit) process.stderr.write(`For older ones: --before ${last.id}\n`);
}

/** A time as the API spells it. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
