// What one run costs while 32 clients submit runs: CPU of the service's process, and on PostgreSQL transactions. Unlike
// runs a second, neither depends on how many cores the clients, the database and other processes leave.

import pg from "pg";
import { cpuMs } from "../scripts/served-process.ts";
import { startBenchService } from "./bench-service.ts";
import { benchDatabaseUrl } from "./postgres-schema.ts";
import { onBareServer, PARALLEL_MS, runMany, type Target, WARM_UP_MS } from "./runs.ts";

export type RunCost = {
  /** Milliseconds of the process's CPU, all threads. Null where the system does not tell. */
  readonly cpuMs: number | null;
  readonly runsPerSecond: number;
};

/** `transactions` are those of the whole database: other clients of it are counted too. */
export type PostgresRunCost = RunCost & { readonly transactions: number };

/** The same requests to a server that does nothing. */
export async function measureBareRunCost(): Promise<RunCost> {
  return await onBareServer(async ({ target, pid }) => (await measure([target], pid)).cost);
}

/** The service with backend `noop` and SQLite, in one process. */
export async function measureRunCost(): Promise<RunCost> {
  return (await measureService({})).cost;
}

/** The service with backend `noop` on the database at `databaseUrl`, in one process. The clients share `jobs` jobs. */
export async function measurePostgresRunCost(options: {
  databaseUrl: string;
  jobs?: number;
}): Promise<PostgresRunCost> {
  // A backend of PostgreSQL reports its transactions some time later, at the latest when it disconnects.
  const before = await countTransactions();
  const { cost, allRuns } = await measureService(options);
  const after = await countTransactions();
  return { ...cost, transactions: (after - before) / allRuns };
}

type Measured = { readonly cost: RunCost; readonly allRuns: number };

async function measureService(options: { databaseUrl?: string; jobs?: number }): Promise<Measured> {
  const service = await startBenchService(options);
  const [{ pid }] = service.workers;
  const measured = await measure(service.jobs, pid);
  await service.stop();
  return measured;
}

async function measure(targets: readonly Target[], pid: number): Promise<Measured> {
  const warmUp = await runMany(targets, WARM_UP_MS);
  const before = cpuMs(pid);
  const { runs, runsPerSecond } = await runMany(targets, PARALLEL_MS);
  const after = cpuMs(pid);
  const cost = { cpuMs: before === null || after === null ? null : (after - before) / runs, runsPerSecond };
  return { cost, allRuns: warmUp.runs + runs };
}

async function countTransactions(): Promise<number> {
  const client = new pg.Client({ connectionString: benchDatabaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      "select xact_commit::float8 + xact_rollback as transactions from pg_stat_database where datname = current_database()",
    );
    return Number(rows[0].transactions);
  } finally {
    await client.end();
  }
}
