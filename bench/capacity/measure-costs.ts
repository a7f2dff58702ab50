// Measures what runs, polls and sockets cost on both stores. PostgreSQL is a cluster of the measurement's own: its CPU,
// transactions and log are nobody else's.

import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { opened } from "../../scripts/opened.ts";
import { PostgresCluster, postgresBinaries } from "../../scripts/postgres-cluster.ts";
import type { Costs, DatabaseCosts, StoreCosts } from "./costs.ts";
import { type MeasuredStore, measureRunCosts, type RunCosts } from "./run-costs.ts";
import { postgresProbe, sqliteProbe } from "./store-probe.ts";
import {
  measurePollCosts,
  measureSignalCost,
  measureSocketCosts,
  type PollCosts,
  type SocketCosts,
} from "./waiting-costs.ts";

export async function measureCosts(now: Date): Promise<Costs> {
  const sqlite = await measureSqlite();
  const postgres = await measurePostgres();
  return {
    measuredOn: now.toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores, ${Math.ceil(totalmem() / 1024 ** 3)} GiB`,
    sqlite,
    postgres: postgres?.store ?? null,
    database: postgres?.database ?? null,
  };
}

async function measureSqlite(): Promise<StoreCosts> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const remove = opened(() => rm(folder, { recursive: true, force: true }));
  const store = { probe: sqliteProbe(folder), env: { DATA_DIR: folder } };
  const costs = await measureStore(store);
  await remove();
  return storeCosts(costs);
}

/**
 * After a checkpoint the first change of each page writes the whole page to the log: with a few dozen runs that would
 * be most of it, with the many runs of a real checkpoint interval it is little. So there is none meanwhile.
 */
const NO_CHECKPOINTS = ["checkpoint_timeout = 1h", "max_wal_size = 16GB"];

/** Null where PostgreSQL is not installed. */
async function measurePostgres(): Promise<{ store: StoreCosts; database: DatabaseCosts } | null> {
  if (postgresBinaries === undefined) return null;
  const cluster = await PostgresCluster.start({ settings: NO_CHECKPOINTS });
  const close = opened(() => cluster.close());
  const costs = await measureStore({
    probe: await postgresProbe(cluster.url),
    databaseUrl: cluster.url,
    env: {},
  });
  const signalCpuMs = await measureSignalCost(cluster.url);
  await close();
  const { databaseCpuMs, transactions, walBytes, connectionMs } = costs.run;
  return {
    store: storeCosts(costs),
    database: {
      runCpuMs: databaseCpuMs,
      transactions,
      walBytes,
      connectionMs,
      pollCpuMs: costs.poll.databaseCpuMs,
      signalCpuMs,
    },
  };
}

type MeasuredCosts = { readonly run: RunCosts; readonly poll: PollCosts; readonly socket: SocketCosts };

async function measureStore(store: MeasuredStore): Promise<MeasuredCosts> {
  const run = await measureRunCosts(store);
  const poll = await measurePollCosts(store);
  return { run, poll, socket: await measureSocketCosts(store) };
}

function storeCosts({ run, poll, socket }: MeasuredCosts): StoreCosts {
  return {
    runCpuMs: run.nodeCpuMs,
    pollCpuMs: poll.nodeCpuMs,
    pollBytes: poll.bytes,
    deliveryCpuMs: socket.deliveryCpuMs,
    socketOpenCpuMs: socket.openCpuMs,
    socketBytes: socket.bytes,
    baseBytes: run.baseBytes,
    workingRunBytes: run.workingRunBytes,
    recordBytes: run.recordBytes,
    inputBytes: run.inputBytes,
    eventBytes: run.eventBytes,
  };
}
