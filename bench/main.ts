// npm run bench [-- part … [--page] [--agents a,b] [--tasks c,d] [--before commit] [--minutes 30]]: the figures of the design, on SQLite and on PostgreSQL, each
// beside what it is compared to in the same run. Ratios count: a machine's noise is in both sides. PostgreSQL is the one at
// BENCH_DATABASE_URL or TEST_DATABASE_URL, each part in a schema of its own. --page: the part "capacity" writes what it measured
// into its page. --agents, --tasks: who plays what of the part "agent"; --before: beside the command of an earlier commit.
// --minutes: how long the part "soak" takes on each store.

import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { closeOpened } from "../scripts/opened.ts";
import { type PartName, parts } from "./parts.ts";
import { type Row, renderTable } from "./table.ts";

const PART_MS = 900_000;
/** A model takes its time, and so do the agents that are compared, one after the other. */
const LONG_PART_MS = 6 * 3_600_000;

const isPart = (name: string): name is PartName => name in parts;
const { positionals: asked, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    page: { type: "boolean", default: false },
    agents: { type: "string", default: "built-in" },
    tasks: { type: "string", default: "" },
    before: { type: "string", default: "" },
    minutes: { type: "string", default: "30" },
  },
});
const options = {
  writesPage: flags.page,
  minutes: Number(flags.minutes),
  agents: flags.agents.split(","),
  before: flags.before === "" ? null : flags.before,
  tasks: flags.tasks.split(",").filter((name) => name !== ""),
};
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
  const partMs = name === "agent" || name === "soak" ? LONG_PART_MS : PART_MS;
  const tooLong = setTimeout(partMs, undefined, { signal: isOver.signal }).then(() => {
    throw new Error(`It did not end within ${partMs / 1000} s.`);
  });
  tooLong.catch(() => {});
  try {
    return await Promise.race([parts[name]({ ...options, isNamed: asked.includes(name) }), tooLong]);
  } finally {
    isOver.abort();
  }
}
