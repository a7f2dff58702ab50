// The loads and deployments that the capacity page compares. Nobody measured these numbers: they are assumptions of the
// day below, and the page shows each of them.

import type { DatabaseServers, Deployment, Load } from "./model.ts";

export const ASSUMED_ON = "2026-11-22";

const GIB = 1024 ** 3;
const TB = 1e12;

/** "Today": an organization with a few hundred active repositories. */
export const today: Load = {
  runsPerDay: 1_000,
  peakFactor: 5,
  turnsPerRun: 8,
  eventsPerRun: 400,
  runSeconds: 180,
  pollsPerRun: 1,
  socketsPerRun: 0.2,
  retentionDays: 90,
  recordDays: 365,
};

export const scales = [1, 100, 10_000] as const;

export function scaled(load: Load, factor: number): Load {
  return { ...load, runsPerDay: load.runsPerDay * factor };
}

const node = { nodeMemoryBytes: 4 * GIB, runsPerNode: 400, diskBytes: 2 * TB };
const small = {
  partitions: 1,
  cores: 2,
  walBytesPerSecond: 100e6,
  connections: 100,
  replicas: 0,
  hasEventArchive: false,
  hasTargetedSignals: false,
};
const large = { ...small, cores: 16, connections: 500 };

export const asInstalled: Deployment = { ...node, nodes: 1, runsPerNode: 4, database: null };
export const oneNode: Deployment = { ...node, nodes: 1, database: null };
export const oneNodeAndPostgres: Deployment = { ...node, nodes: 1, database: small };
export const twentyNodes: Deployment = { ...node, nodes: 20, database: large };

export type NamedDeployment = { readonly name: string; readonly deployment: Deployment };

export const deployments: readonly NamedDeployment[] = [
  { name: "one node, SQLite, as installed: `MAX_RUNNING_RUNS` is 4", deployment: asInstalled },
  { name: "one node, SQLite, `MAX_RUNNING_RUNS` 400", deployment: oneNode },
  { name: "one node, one PostgreSQL with 2 cores", deployment: oneNodeAndPostgres },
  { name: "20 nodes, one PostgreSQL with 16 cores", deployment: twentyNodes },
];

/** What can be built to move a limit of the largest deployment. None of it is built yet. */
const withServers = (change: Partial<DatabaseServers>): Deployment => ({
  ...twentyNodes,
  database: { ...large, ...change },
});

export const levers: readonly NamedDeployment[] = [
  { name: "as it is", deployment: twentyNodes },
  { name: "2 read replicas for polls and sockets", deployment: withServers({ replicas: 2 }) },
  { name: "events of ended runs in object storage", deployment: withServers({ hasEventArchive: true }) },
  {
    name: "signals only to nodes that wait for the run",
    deployment: withServers({ hasTargetedSignals: true }),
  },
  {
    name: "these three",
    deployment: withServers({ replicas: 2, hasEventArchive: true, hasTargetedSignals: true }),
  },
];

/** As `twentyNodes`, eight times. */
export const partitioned: NamedDeployment = {
  name: "8 partitions by account, each with 20 nodes and a PostgreSQL",
  deployment: { ...withServers({ partitions: 8 }), nodes: 160 },
};
