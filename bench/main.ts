// npm run bench [-- part … [--page]]: the figures of the design, on SQLite and on PostgreSQL, each beside what it is compared to
// in the same run. Ratios count: a machine's noise is in both sides. PostgreSQL is the one at BENCH_DATABASE_URL or
// TEST_DATABASE_URL, each part in a schema of its own. --page: the part "capacity" writes what it measured into its page.

import { setTimeout } from "node:timers/promises";
import { closeOpened } from "../scripts/opened.ts";
import { type PartName, parts } from "./parts.ts";
import { type Row, renderTable } from "./table.ts";

const PART_MS = 900_000;

const isPart = (name: string): name is PartName => name in parts;
const writesPage = process.argv.includes("--page");
const asked = process.argv.slice(2).filter((argument) => argument !== "--page");
const unknown = asked.filter((name) => !isPart(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no part ${unknown.join(", ")}. Parts: ${Object.keys(parts).join(", ")}.\n`);
  process.exitCode = 2;
} else {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void closeOpened().finally(() => process.exit(1)));
  }
  const rows: Row[] = [];
  for (const name of asked.length === 0 ? Object.keys(parts) : asked) {
    if (!isPart(name)) continue;
    process.stderr.write(`measuring ${name} …\n`);
    try {
      rows.push(...(await withinTime(name)));
    } catch (cause) {
      process.stderr.write(`${name} failed: ${cause instanceof Error ? cause.message : cause}\n`);
      process.exitCode = 1;
      await closeOpened();
    }
  }
  process.stdout.write(`\n${renderTable(rows)}`);
}

/** A part on a machine that cannot keep up would never end. */
async function withinTime(name: PartName): Promise<Row[]> {
  const isOver = new AbortController();
  const tooLong = setTimeout(PART_MS, undefined, { signal: isOver.signal }).then(() => {
    throw new Error(`It did not end within ${PART_MS / 1000} s.`);
  });
  tooLong.catch(() => {});
  try {
    return await Promise.race([parts[name]({ writesPage }), tooLong]);
  } finally {
    isOver.abort();
  }
}
