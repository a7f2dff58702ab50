// Measures what runs, polls and sockets cost on both stores. PostgreSQL is a cluster of the measurement's own: its CPU,
// transactions and log are nobody else's.

import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { opened } from "../../scripts/opened.ts";
import { PostgresCluster, postgresBinaries } from "../../scripts/postgres-cluster.ts";
import { makeLargeRepository, SMALL_FILES } from "../made-repositories.ts";
import type { Costs, DatabaseCosts, RepositoryCosts, StoreCosts } from "./costs.ts";
import { countingSyncs } from "./disk-probe.ts";
import type { MeasuredStore } from "./meter.ts";
import { measureRepositoryCosts, measureRunCosts, type RunCosts } from "./run-costs.ts";
import { postgresProbe, sqliteProbe } from "./store-probe.ts";
import {
  measurePollCosts,
  measureSignalCost,
  measureSocketCosts,
  type PollCosts,
  type SocketCosts,
} from "./waiting-costs.ts";

export async function measureCosts(now: Date): Promise<Costs> {
  const { sqlite, checkoutBytes, large } = await measureSqlite();
  const postgres = await measurePostgres();
  return {
    measuredOn: now.toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores, ${Math.ceil(totalmem() / 1024 ** 3)} GiB`,
    sqlite,
    postgres: postgres?.store ?? null,
    database: postgres?.database ?? null,
    small: { files: SMALL_FILES, checkoutBytes },
    large,
  };
}

async function measureSqlite(): Promise<{
  sqlite: StoreCosts;
  checkoutBytes: number;
  large: RepositoryCosts;
}> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const remove = opened(() => rm(folder, { recursive: true, force: true }));
  const data = join(folder, "data");
  const syncsFile = join(folder, "syncs");
  const store: MeasuredStore = {
    probe: sqliteProbe(data),
    env: { DATA_DIR: data, ...countingSyncs(syncsFile) },
    syncsFile,
    checkouts: join(data, "checkouts"),
  };
  const costs = await measureStore(store);
  const repository = await makeLargeRepository();
  const large = await measureRepositoryCosts(store, repository, costs.run);
  await repository.remove();
  await remove();
  return { sqlite: storeCosts(costs), checkoutBytes: costs.run.checkoutBytes, large };
}

/**
 * After a checkpoint the first change of each page writes the whole page to the log: with a few dozen runs that would
 * be most of it, with the many runs of a real checkpoint interval it is little. So there is none meanwhile. Files of the log
 * are used again in a real deployment: no new one is filled with zeros first.
 */
const AS_LONG_AT_WORK = ["checkpoint_timeout = 1h", "max_wal_size = 16GB", "wal_init_zero = off"];

/** Null where PostgreSQL is not installed. */
async function measurePostgres(): Promise<{ store: StoreCosts; database: DatabaseCosts } | null> {
  if (postgresBinaries === undefined) return null;
  const cluster = await PostgresCluster.start({ settings: AS_LONG_AT_WORK });
  const close = opened(() => cluster.close());
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const remove = opened(() => rm(folder, { recursive: true, force: true }));
  const syncsFile = join(folder, "syncs");
  const costs = await measureStore({
    probe: await postgresProbe(cluster.url),
    databaseUrl: cluster.url,
    env: countingSyncs(syncsFile),
    syncsFile,
    checkouts: null,
  });
  const signalCpuMs = await measureSignalCost(cluster.url);
  await close();
  await remove();
  const { fits, background } = costs.run;
  return {
    store: storeCosts(costs),
    database: {
      runCpuMs: fits.databaseCpuMs,
      transactions: fits.transactions,
      walBytes: fits.walBytes,
      connectionMs: fits.connectionMs,
      fsyncs: fits.databaseFsyncs,
      idleCpuMs: background.live.databaseCpuMs,
      idleTransactions: background.stored.transactions,
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
  const { fits } = run;
  return {
    processCpuMs: fits.processCpuMs,
    childrenCpuMs: fits.childrenCpuMs,
    diskBytes: fits.diskBytes,
    fsyncs: fits.fsyncs,
    idleCpuMs: run.background.live.processCpuMs,
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
