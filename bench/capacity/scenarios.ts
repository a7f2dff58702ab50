// The loads and deployments that the capacity page compares. Nobody measured these numbers: they are assumptions of the
// day below, and the page shows each of them.

import type { DatabaseServers, Deployment, DiskSpeed, Load } from "./model.ts";

export const ASSUMED_ON = "2026-11-27";

const GB = 1e9;
const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const TB = 1e12;

/** "Today": an organization with a few hundred active repositories. */
export const today: Load = {
  runsPerDay: 1_000,
  peakFactor: 5,
  repository: "small",
  turnsPerRun: 8,
  eventsPerRun: 400,
  searchesPerRun: 4,
  writesPerRun: 3,
  commandsPerRun: 3,
  commandCpuSeconds: 5,
  runSeconds: 180,
  pollsPerRun: 1,
  socketsPerRun: 0.2,
  retentionDays: 90,
  recordDays: 365,
};

/** The same runs, all on the repository of 26,000 files. */
export const todayLarge: Load = { ...today, repository: "large" };

export const scales = [1, 100, 10_000] as const;

export function scaled(load: Load, factor: number): Load {
  return { ...load, runsPerDay: load.runsPerDay * factor };
}

/**
 * What an SSD volume for general purposes takes that a cloud sells without extra throughput: Amazon's gp3 has 3,000 I/O operations
 * a second and 125 MiB/s at any size, https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html
 */
const disk: DiskSpeed = { writesPerSecond: 3_000, bytesPerSecond: 125 * MIB, bytesPerWrite: 65_536 };

const node = {
  cores: 4,
  nodeMemoryBytes: 16 * GIB,
  runsPerNode: 400,
  nodeDiskBytes: 200 * GB,
  disk,
};
const withSqlite = { ...node, nodes: 1, nodeDiskBytes: 2 * TB, database: null };
const small: DatabaseServers = {
  partitions: 1,
  cores: 2,
  diskBytes: 2 * TB,
  connections: 100,
};
const large: DatabaseServers = { ...small, cores: 16, connections: 500 };

export const asInstalled: Deployment = { ...withSqlite, runsPerNode: 4 };
export const oneNode: Deployment = withSqlite;
export const oneNodeAndPostgres: Deployment = { ...node, nodes: 1, database: small };
export const twentyNodes: Deployment & { database: DatabaseServers } = {
  ...node,
  nodes: 20,
  database: large,
};

export type NamedDeployment = { readonly name: string; readonly deployment: Deployment };

export const deployments: readonly NamedDeployment[] = [
  { name: "one node, SQLite, as installed: `MAX_RUNNING_RUNS` is 4", deployment: asInstalled },
  { name: "one node, SQLite, `MAX_RUNNING_RUNS` 400", deployment: oneNode },
  { name: "one node, one PostgreSQL with 2 cores", deployment: oneNodeAndPostgres },
  { name: "20 nodes, one PostgreSQL with 16 cores", deployment: twentyNodes },
];

export const asItIs: NamedDeployment = { name: "as it is", deployment: twentyNodes };

/** As `twentyNodes`, eight times: what can be built to move its limits. It changes a result: test/bench/capacity/page.test.ts. */
export const partitioned: NamedDeployment = {
  name: "8 partitions by account, each with 20 nodes and a PostgreSQL",
  deployment: { ...twentyNodes, nodes: 160, database: { ...large, partitions: 8 } },
};
