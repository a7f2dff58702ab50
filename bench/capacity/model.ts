// How much of each resource a load takes in a deployment, and which one ends first. Pure: costs are measured, loads and
// deployments are given. The equations, with λ runs a second at the peak:
//
//   utilisation law   U = λ · D / servers         D: what one run takes of the resource
//   Little's law      N = λ · R                   N: runs at work, R: how long one takes; likewise connections
//   M/G/1, shared     R = S / (1 − U)             one node: its event loop shares one core among all that is under way
//   M/M/c             W = C(c, a) · S / (c − a)   the cores of the database, the runs that nodes execute at a time;
//                                                 a = λ · S, C: Erlang's probability of waiting

import { type Costs, costOf, type DatabaseCosts, type StoreCosts } from "./costs.ts";

export type Load = {
  readonly runsPerDay: number;
  /** The busiest second beside the mean of the day. */
  readonly peakFactor: number;
  readonly turnsPerRun: number;
  readonly eventsPerRun: number;
  readonly runSeconds: number;
  /** Polls that follow each run while it works, and sockets. */
  readonly pollsPerRun: number;
  readonly socketsPerRun: number;
  /** Inputs and events are kept so long. */
  readonly retentionDays: number;
  /** Records and postings are never deleted: a disk has to hold so many days of them. */
  readonly recordDays: number;
};

export type Deployment = {
  /** Processes, each on a core of its own, in all partitions together. One with SQLite. */
  readonly nodes: number;
  readonly nodeMemoryBytes: number;
  /** `MAX_RUNNING_RUNS`. */
  readonly runsPerNode: number;
  /** Of each database; of the one node with SQLite. */
  readonly diskBytes: number;
  /** Null: SQLite. */
  readonly database: DatabaseServers | null;
};

export type DatabaseServers = {
  /** Independent databases, each with its accounts and nodes. */
  readonly partitions: number;
  /** Of the primary, and of each replica. */
  readonly cores: number;
  readonly walBytesPerSecond: number;
  readonly connections: number;
  /** Of a partition: they answer the reads of polls. */
  readonly replicas: number;
  /** Events of runs that ended are in object storage: the database keeps them for a day. */
  readonly hasEventArchive: boolean;
  /** A node is told of the events of runs that somebody waits for at it, not of all. */
  readonly hasTargetedSignals: boolean;
};

export type Resource = {
  readonly name: ResourceName;
  /** Shares of what there is: at this load, without a load, and at the most that is planned with. */
  readonly used: number;
  readonly usedIdle: number;
  readonly planned: number;
};

export type ResourceName =
  | "CPU of the nodes"
  | "runs at work (`MAX_RUNNING_RUNS`)"
  | "memory of a node"
  | "disk"
  | "CPU of PostgreSQL"
  | "CPU of a replica"
  | "write-ahead log"
  | "connections"
  | "signals between nodes";

/** Beyond these shares a queue grows faster than the load, or an outage is near. */
const PLANNED: Readonly<Record<ResourceName, number>> = {
  "CPU of the nodes": 0.7,
  "runs at work (`MAX_RUNNING_RUNS`)": 0.8,
  "memory of a node": 0.8,
  disk: 0.8,
  "CPU of PostgreSQL": 0.7,
  "CPU of a replica": 0.7,
  "write-ahead log": 0.7,
  connections: 0.7,
  "signals between nodes": 0.2,
};

/** Connections of one node's pool, beside the one that listens. */
const POOL_CONNECTIONS = 10;
const SECONDS_A_DAY = 86_400;
const ARCHIVED_AFTER_DAYS = 1;

export function peakRunsPerSecond({ runsPerDay, peakFactor }: Load): number {
  return (runsPerDay * peakFactor) / SECONDS_A_DAY;
}

/** Little's law: runs at work at the peak. */
export function runsAtWork(load: Load): number {
  return peakRunsPerSecond(load) * load.runSeconds;
}

/** CPU that one run takes of a node, ms. The measured run has one poll. */
export function nodeCpuMsPerRun(costs: StoreCosts, load: Load): number {
  const { turnsPerRun: turns, eventsPerRun: events, pollsPerRun, socketsPerRun } = load;
  const run = costOf(costs.runCpuMs, { turns, events });
  const polls = (pollsPerRun - 1) * events * costs.pollCpuMs;
  const sockets = socketsPerRun * (costs.socketOpenCpuMs + events * costs.deliveryCpuMs);
  return Math.max(0, run + polls + sockets);
}

/** CPU that one run takes of the database, ms: `reads` are those of polls and sockets, which a replica may answer. */
export function databaseCpuMsPerRun(costs: DatabaseCosts, load: Load): { writes: number; reads: number } {
  const { turnsPerRun: turns, eventsPerRun: events, pollsPerRun, socketsPerRun } = load;
  const measured = costOf(costs.runCpuMs, { turns, events });
  const readsOfOne = events * costs.pollCpuMs;
  return { writes: Math.max(0, measured - readsOfOne), reads: readsOfOne * (pollsPerRun + socketsPerRun) };
}

/** All resources of the deployment under the load. */
export function resourcesOf(costs: Costs, load: Load, deployment: Deployment): Resource[] {
  const { database } = deployment;
  const store = database === null ? costs.sqlite : costs.postgres;
  if (store === null) throw new RangeError("There are no costs of PostgreSQL.");
  const ofNodes = nodeResources(store, load, deployment);
  if (database === null) return [...ofNodes, diskOf(store, load, deployment)];
  if (costs.database === null) throw new RangeError("There are no costs of PostgreSQL.");
  return [
    ...ofNodes,
    diskOf(store, load, deployment),
    ...databaseResources(costs.database, load, { nodes: deployment.nodes, database }),
  ];
}

function nodeResources(costs: StoreCosts, load: Load, deployment: Deployment): Resource[] {
  const { nodes, nodeMemoryBytes, runsPerNode } = deployment;
  const atWork = runsAtWork(load) / nodes;
  const bytes =
    costs.workingRunBytes + load.pollsPerRun * costs.pollBytes + load.socketsPerRun * costs.socketBytes;
  return [
    resource("CPU of the nodes", (peakRunsPerSecond(load) * nodeCpuMsPerRun(costs, load)) / 1000 / nodes),
    resource("runs at work (`MAX_RUNNING_RUNS`)", atWork / runsPerNode),
    resource(
      "memory of a node",
      (costs.baseBytes + atWork * bytes) / nodeMemoryBytes,
      costs.baseBytes / nodeMemoryBytes,
    ),
  ];
}

/** Bytes that a database holds once the oldest runs expire. */
export function storedBytes(costs: StoreCosts, load: Load, days: { events: number }): number {
  const { runsPerDay, eventsPerRun, recordDays, retentionDays } = load;
  const { recordBytes, inputBytes, eventBytes } = costs;
  const run = recordBytes * recordDays + inputBytes * retentionDays + eventsPerRun * eventBytes * days.events;
  return runsPerDay * run;
}

function diskOf(costs: StoreCosts, load: Load, { database, diskBytes }: Deployment): Resource {
  const events = database?.hasEventArchive
    ? Math.min(ARCHIVED_AFTER_DAYS, load.retentionDays)
    : load.retentionDays;
  return resource("disk", storedBytes(costs, load, { events }) / (database?.partitions ?? 1) / diskBytes);
}

function databaseResources(
  costs: DatabaseCosts,
  load: Load,
  { nodes, database }: { nodes: number; database: DatabaseServers },
): Resource[] {
  const { partitions, cores, walBytesPerSecond, connections, replicas } = database;
  const rate = peakRunsPerSecond(load) / partitions;
  const run = { turns: load.turnsPerRun, events: load.eventsPerRun };
  const { writes, reads } = databaseCpuMsPerRun(costs, load);
  const ofPrimary = replicas > 0 ? writes : writes + reads;
  const signalDivisor = database.hasTargetedSignals ? nodes / partitions : 1;
  const pooled = Math.min(connections, (nodes / partitions) * POOL_CONNECTIONS);
  return [
    resource("CPU of PostgreSQL", (rate * ofPrimary) / 1000 / cores),
    ...(replicas === 0 ? [] : [resource("CPU of a replica", (rate * reads) / 1000 / (replicas * cores))]),
    resource("write-ahead log", (rate * costOf(costs.walBytes, run)) / walBytesPerSecond),
    resource("connections", (rate * costOf(costs.connectionMs, run)) / 1000 / pooled),
    // Where each node is told of every event in its partition, more nodes do not make it less.
    resource(
      "signals between nodes",
      nodes > partitions ? (rate * run.events * costs.signalCpuMs) / 1000 / signalDivisor : 0,
    ),
  ];
}

function resource(name: ResourceName, used: number, usedIdle = 0): Resource {
  return { name, used, usedIdle, planned: PLANNED[name] };
}

export type Limit = { readonly name: ResourceName; readonly runsPerDay: number };

/** The load at which each resource is used as planned, the first to end first. */
export function limitsOf(resources: readonly Resource[], load: Load): Limit[] {
  return resources
    .map(({ name, used, usedIdle, planned }) => ({
      name,
      runsPerDay: (load.runsPerDay * Math.max(0, planned - usedIdle)) / (used - usedIdle),
    }))
    .filter(({ runsPerDay }) => Number.isFinite(runsPerDay))
    .sort((a, b) => a.runsPerDay - b.runsPerDay);
}

/** Erlang's C: the probability that one who comes to `servers` has to wait, at `offered` = arrivals × service time. */
export function probabilityOfWaiting(servers: number, offered: number): number {
  if (offered >= servers) return 1;
  // Erlang's B by its recursion, which does not overflow.
  let blocked = 1;
  for (let count = 1; count <= servers; count += 1)
    blocked = (offered * blocked) / (count + offered * blocked);
  const utilisation = offered / servers;
  return blocked / (1 - utilisation + utilisation * blocked);
}

/** M/M/c: how long one waits for a server on average. Infinite where more comes than can be served. */
export function meanWait(queue: { servers: number; perSecond: number; serviceSeconds: number }): number {
  const { servers, perSecond, serviceSeconds } = queue;
  const offered = perSecond * serviceSeconds;
  if (offered >= servers) return Number.POSITIVE_INFINITY;
  return (probabilityOfWaiting(servers, offered) * serviceSeconds) / (servers - offered);
}

/** M/G/1 with the server shared: how long one that needs `service` takes beside the others. */
export function sharedTime(service: number, utilisation: number): number {
  return utilisation >= 1 ? Number.POSITIVE_INFINITY : service / (1 - utilisation);
}

export type Latencies = {
  /** Mean time that an event spends in nodes and database from its emit to the poll that waits, network and disk apart. */
  readonly eventMs: number;
  /** Mean time that a run is queued until a node has room for it. */
  readonly queuedSeconds: number;
};

export function latenciesOf(costs: Costs, load: Load, deployment: Deployment): Latencies {
  const resources = resourcesOf(costs, load, deployment);
  const usedOf = (wanted: ResourceName) => resources.find(({ name }) => name === wanted)?.used ?? 0;
  const { database, nodes, runsPerNode } = deployment;
  const store = (database === null ? costs.sqlite : costs.postgres) ?? costs.sqlite;
  const onNodes = sharedTime(
    store.runCpuMs.event,
    usedOf("CPU of the nodes") + usedOf("signals between nodes"),
  );
  const inDatabase =
    database === null || costs.database === null ? 0 : databaseMs(costs.database, load, database);
  return {
    eventMs: onNodes + inDatabase,
    queuedSeconds: meanWait({
      servers: nodes * runsPerNode,
      perSecond: peakRunsPerSecond(load),
      serviceSeconds: load.runSeconds,
    }),
  };
}

/** What an event's statements take of the database, waits for a core included. */
function databaseMs(costs: DatabaseCosts, load: Load, servers: DatabaseServers): number {
  const run = { turns: load.turnsPerRun, events: load.eventsPerRun };
  const perSecond = (peakRunsPerSecond(load) / servers.partitions) * costOf(costs.transactions, run);
  const { writes, reads } = databaseCpuMsPerRun(costs, load);
  const cpuMs = servers.replicas > 0 ? writes : writes + reads;
  const serviceSeconds = cpuMs / 1000 / costOf(costs.transactions, run);
  const waitMs = 1000 * meanWait({ servers: servers.cores, perSecond, serviceSeconds });
  const statements = Math.max(1, costs.transactions.event);
  return statements * (waitMs + serviceSeconds * 1000);
}

export type Needed = { readonly nodes: number; readonly partitions: number };

/**
 * The fewest nodes and partitions that keep every resource of `deployment` within its plan; of SQLite, which has one
 * node, null where that is too little. More of a resource that stays too small whatever their number is not looked for: null.
 */
export function neededFor(costs: Costs, load: Load, deployment: Deployment): Needed | null {
  const isEnough = (candidate: Deployment, names: (name: ResourceName) => boolean) =>
    resourcesOf(costs, load, candidate).every(
      ({ name, used, planned }) => !names(name) || used <= planned + 1e-9,
    );
  if (deployment.database === null)
    return isEnough(deployment, () => true) ? { nodes: deployment.nodes, partitions: 1 } : null;
  const withCount = (nodes: number, partitions: number): Deployment => ({
    ...deployment,
    nodes,
    database: deployment.database === null ? null : { ...deployment.database, partitions },
  });
  const ofNodes = (name: ResourceName) =>
    name === "CPU of the nodes" || name === "memory of a node" || name.startsWith("runs at work");
  const nodes = fewest((count) => isEnough(withCount(count, 1), ofNodes));
  if (nodes === null) return null;
  // A partition has at least one node, and its connections come with its nodes.
  const partitions = fewest((count) =>
    isEnough(withCount(Math.max(nodes, count), count), (name) => !ofNodes(name)),
  );
  return partitions === null ? null : { nodes: Math.max(nodes, partitions), partitions };
}

const MOST = 2 ** 24;

/** The smallest count that is enough, where every larger one is too. */
function fewest(isEnough: (count: number) => boolean): number | null {
  let high = 1;
  while (!isEnough(high)) {
    high *= 2;
    if (high > MOST) return null;
  }
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
