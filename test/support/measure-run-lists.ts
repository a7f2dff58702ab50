// Prints what the filters of /runs take with 100,000 runs of one agent, on SQLite and, where TEST_DATABASE_URL names one, on
// PostgreSQL: the worst case, where all that is looked for is older than everything else. Then the same with
// the indexes that are given as arguments, and what they add to the writes of a run: `node test/support/measure-run-lists.ts "create index …"`.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeRun, makeRunInput } from "../../fakes/records.ts";
import type { Store } from "../../src/service/core/ports/store.ts";
import type { RunFilter } from "../../src/service/core/runs/store-port.ts";
import { postgresStore, type StoreKind, type StorePlace, sqliteStore } from "./stores/stores.ts";

const RUNS = 100_000;
const RARE = 20;
const LISTED = 51;
const REPEATS = 5;
const WRITTEN = 500;
const ROUNDS = 9;
const PARKED = '{"reason":"question","since":1,"until":2,"usage":{"roles":{},"advisor":null},"workedMs":0}';
const AGENT = "agent-1";
const AT = 1_760_000_000_000;

const filters: Readonly<Record<string, Partial<RunFilter>>> = {
  none: {},
  "state completed": { state: "completed" },
  "state failed": { state: "failed" },
  "state cancelled": { state: "cancelled" },
  "state queued": { state: "queued" },
  "state running": { state: "running" },
  "state waiting": { state: "waiting" },
  "origin schedule": { origin: "schedule" },
  "started by one": { startedBy: "rare" },
};

const indexes = process.argv.slice(2);
for (const kind of [sqliteStore, ...(process.env.TEST_DATABASE_URL === undefined ? [] : [postgresStore])]) {
  await measure(kind, []);
  if (indexes.length > 0) await measure(kind, indexes);
}

async function measure(kind: StoreKind, made: readonly string[]): Promise<void> {
  console.log(`${kind.name}${made.length === 0 ? "" : `, with ${made.join("; ")}`}`);
  const place = await kind.make();
  const store = await place.open();
  try {
    await execute(kind, place, made);
    await fill(kind, place, store);
    const { runs } = store.committed;
    for (const [name, filter] of Object.entries(filters)) {
      const query = {
        state: null,
        origin: null,
        startedBy: null,
        ...filter,
        agentIds: [AGENT],
        before: null,
        limit: LISTED,
      };
      const found = await runs.listOfAgents(query);
      const took = await timesOf(REPEATS, () => runs.listOfAgents(query));
      console.log(`  ${name}: ${found.length} runs, ${took.toFixed(2)} ms`);
    }
    if (made.length > 0)
      console.log(`  inserted and changed: ${await writeRatio(kind, place, store)} of what it took without`);
  } finally {
    await store.close();
    await place.remove();
  }
}

/** Of a run's writes with the indexes to those without, in turn, so that what else the machine does counts for both. */
async function writeRatio(kind: StoreKind, place: StorePlace, store: Store): Promise<string> {
  const names = indexes.map((statement) => /index (\w+)/.exec(statement)?.[1] ?? "");
  const ratios: number[] = [];
  let count = 0;
  const write = async () => {
    for (let at = 0; at < WRITTEN; at += 1) {
      count += 1;
      const id = `written-${String(count).padStart(9, "0")}`;
      const run = makeRun({ id, agentId: AGENT, sessionId: `session-${id}`, startedBy: "somebody" });
      await store.transact((tx) => tx.runs.insert(run, makeRunInput()));
      await store.transact((tx) => tx.runs.update(id, { status: "cancelling" }));
    }
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const withThem = await costOf(kind, write);
    await execute(
      kind,
      place,
      names.map((name) => `drop index ${name}`),
    );
    const without = await costOf(kind, write);
    await execute(kind, place, indexes);
    ratios.push(withThem / without);
  }
  return (ratios.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0).toFixed(2);
}

/** Processor time where the store is within the process, else time. */
async function costOf(kind: StoreKind, act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return kind === sqliteStore ? user + system : performance.now() - begun;
}

/** The median. */
async function timesOf(repeats: number, act: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < repeats; at += 1) {
    const begun = performance.now();
    await act();
    times.push(performance.now() - begun);
  }
  return times.sort((one, other) => one - other)[Math.floor(repeats / 2)] ?? 0;
}

/** Copies of one run. The oldest have what is looked for. */
async function fill(kind: StoreKind, place: StorePlace, store: Store): Promise<void> {
  const run = makeRun({
    id: "run-000000000",
    agentId: AGENT,
    sessionId: "session",
    status: "completed",
    stopReason: "end_turn",
    startedAt: AT,
    heartbeatAt: AT,
    endedAt: AT,
  });
  await store.transact((tx) => tx.runs.insert(run, makeRunInput()));
  const [row = {}] = await place.query("select * from runs");
  const isSqlite = kind === sqliteStore;
  const padded = isSqlite ? "printf('%09d', n)" : "lpad(n::text, 9, '0')";
  const changed: Readonly<Record<string, string>> = {
    id: `'run-' || ${padded}`,
    thread_id: `'session-' || ${padded}`,
    status: `case n / ${RARE} when 0 then 'failed' when 1 then 'cancelled' when 2 then 'queued' when 3 then 'running' when 4 then 'running' else 'completed' end`,
    ended_at: `case when n / ${RARE} in (2, 3, 4) then null else ended_at end`,
    parked: `case n / ${RARE} when 4 then '${PARKED}' end`,
    origin: `case n / ${RARE} when 5 then 'schedule' else origin end`,
    started_by: `case n / ${RARE} when 6 then 'rare' end`,
  };
  const columns = Object.keys(row);
  const numbers = isSqlite
    ? `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${RUNS})`
    : `with numbers as (select n from generate_series(1, ${RUNS}) as n)`;
  await execute(kind, place, [
    `insert into runs (${columns.join(", ")}) ${numbers} select ${columns.map((name) => changed[name] ?? name).join(", ")} from numbers, runs where runs.id = 'run-000000000'`,
    "analyze",
  ]);
}

/** Past the store. */
async function execute(kind: StoreKind, place: StorePlace, statements: readonly string[]): Promise<void> {
  if (kind === postgresStore) {
    for (const statement of statements) await place.query(statement);
    return;
  }
  const database = new DatabaseSync(join(place.settings.dataDir, "agent-service.sqlite"));
  try {
    for (const statement of statements) database.exec(statement);
  } finally {
    database.close();
  }
}
