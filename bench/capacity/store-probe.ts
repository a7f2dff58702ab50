// What a store says of itself: its own CPU, transactions, log and sizes. SQLite has no process and no log to ship: the
// node's process pays for both.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { cpuMs, cpuMsWithChildren } from "../../scripts/served-process.ts";

export type StoreSample = {
  readonly transactions: number;
  readonly connectionMs: number;
  /** Of a database's write-ahead log. SQLite's are its node's. */
  readonly databaseFsyncs: number;
  readonly inputBytes: number;
  readonly eventBytes: number;
  /** Of all other tables. */
  readonly recordBytes: number;
};

export type StoreUse = {
  readonly cpuMs: number;
  readonly walBytes: number;
};

export type StoreProbe = {
  /** What changes while the service works. */
  now(): Promise<StoreUse>;
  /** Exact once no service is connected. */
  sample(): Promise<StoreSample>;
};

const nothing = { transactions: 0, connectionMs: 0, databaseFsyncs: 0 };

/** The store at `folder`: read once the service has ended. */
export function sqliteProbe(folder: string): StoreProbe {
  return {
    now: async () => ({ cpuMs: 0, walBytes: 0 }),
    sample: async () => {
      const file = readdirSync(folder).find((name) => name.endsWith(".sqlite"));
      if (file === undefined) return { ...nothing, ...bytesOf([]) };
      const database = new DatabaseSync(join(folder, file), { readOnly: true });
      try {
        const rows = database
          .prepare(
            "select s.tbl_name as name, sum(d.pgsize) as bytes from dbstat d join sqlite_schema s on s.name = d.name group by 1",
          )
          .all();
        return { ...nothing, ...bytesOf(rows) };
      } finally {
        database.close();
      }
    },
  };
}

/** The database at `url`, on this machine: the CPU is that of all its processes. */
export async function postgresProbe(url: string): Promise<StoreProbe> {
  const postmaster = await postmasterOf(url);
  return {
    now: async () => {
      const [row] = await query(url, "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes");
      return { cpuMs: cpuOfFamily(postmaster), walBytes: Number(row.bytes) };
    },
    sample: async () => {
      const [totals] = await query(
        url,
        `select sum(xact_commit + xact_rollback)::float8 as transactions,
           sum(active_time + idle_in_transaction_time)::float8 as ms
         from pg_stat_database where datname = current_database()`,
      );
      const [log] = await query(url, await fsyncsQuery(url));
      const sizes = await query(
        url,
        `select relname as name, pg_total_relation_size(oid)::float8 as bytes
         from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
      );
      return {
        transactions: Number(totals.transactions),
        connectionMs: Number(totals.ms),
        databaseFsyncs: Number(log.fsyncs),
        ...bytesOf(sizes),
      };
    },
  };
}

type Row = Record<string, unknown>;

function bytesOf(tables: readonly Row[]): Pick<StoreSample, "inputBytes" | "eventBytes" | "recordBytes"> {
  const bytes = { inputBytes: 0, eventBytes: 0, recordBytes: 0 };
  const kinds: Readonly<Record<string, keyof typeof bytes>> = {
    run_inputs: "inputBytes",
    run_events: "eventBytes",
  };
  for (const table of tables) bytes[kinds[String(table.name)] ?? "recordBytes"] += Number(table.bytes);
  return bytes;
}

async function query(url: string, sql: string): Promise<[Row, ...Row[]]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const [first, ...others] = (await client.query<Row>(sql)).rows;
    if (first === undefined) throw new Error(`No rows: ${sql}`);
    return [first, ...others];
  } finally {
    await client.end();
  }
}

/** The process whose children serve the connections. */
async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>("select pg_backend_pid() as pid");
    const postmaster = parentOf(Number(rows[0]?.pid));
    if (postmaster === null) throw new Error("The processes of PostgreSQL are not on this machine.");
    return postmaster;
  } finally {
    await client.end();
  }
}

/** Of a process, its living children and its ended ones. */
function cpuOfFamily(parent: number): number {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
  return [cpuMsWithChildren(parent), ...children.map(cpuMs)].reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
}

/** PostgreSQL 18 has them beside those of other files. */
async function fsyncsQuery(url: string): Promise<string> {
  const [{ version }] = await query(url, "select current_setting('server_version_num')::int as version");
  return Number(version) >= 180_000
    ? "select sum(fsyncs)::float8 as fsyncs from pg_stat_io where object = 'wal'"
    : "select wal_sync::float8 as fsyncs from pg_stat_wal";
}

function parentOf(pid: number): number | null {
  try {
    const parent = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return parent === undefined ? null : Number(parent);
  } catch {
    return null;
  }
}
