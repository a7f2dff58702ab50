// How much of each resource a load takes in a deployment, and which one ends first. Pure: costs are measured, loads and
// deployments are given. The equations, with λ runs a second at the peak:
//
//   utilisation law   U = λ · D / servers         D: what one run takes of the resource
//   Little's law      N = λ · R                   N: runs at work, R: how long one takes; likewise connections
//   M/G/1, shared     R = S / (1 − U)             one node: its event loop shares one core among all that is under way
//   M/M/c             W = C(c, a) · S / (c − a)   the cores of the database, the runs that nodes execute at a time;
//                                                 a = λ · S, C: Erlang's probability of waiting

import {
  type Costs,
  costOf,
  type DatabaseCosts,
  onRepository,
  type RunCost,
  type RunCounts,
  type StoreCosts,
} from "./costs.ts";

export type Load = {
  readonly runsPerDay: number;
  /** The busiest second beside the mean of the day. */
  readonly peakFactor: number;
  /** Which of the measured repositories runs work on. */
  readonly repository: "small" | "large";
  readonly turnsPerRun: number;
  readonly eventsPerRun: number;
  readonly searchesPerRun: number;
  readonly writesPerRun: number;
  readonly commandsPerRun: number;
  /** What a command computes itself, beside the sandbox around it. */
  readonly commandCpuSeconds: number;
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
  /** Processes, in all partitions together. One with SQLite. */
  readonly nodes: number;
  /** Of each node. Its event loop uses one of them, git and commands use all. */
  readonly cores: number;
  readonly nodeMemoryBytes: number;
  /** `MAX_RUNNING_RUNS`. */
  readonly runsPerNode: number;
  /** Of each node: checkouts, and with SQLite the store. */
  readonly nodeDiskBytes: number;
  /** What each disk takes, a node's and a database's. */
  readonly disk: DiskSpeed;
  /** Null: SQLite. */
  readonly database: DatabaseServers | null;
};

export type DiskSpeed = {
  readonly bytesPerSecond: number;
  readonly writesPerSecond: number;
  /** What one write takes along, on average, of what nobody waits for. */
  readonly bytesPerWrite: number;
};

export type DatabaseServers = {
  /** Independent databases, each with its accounts and nodes. */
  readonly partitions: number;
  readonly cores: number;
  readonly diskBytes: number;
  readonly connections: number;
};

export type Resource = {
  readonly name: ResourceName;
  /** Shares of what there is: at this load, without a load, and at the most that is planned with. */
  readonly used: number;
  readonly usedIdle: number;
  readonly planned: number;
};

/** Beyond these shares a queue grows faster than the load, or an outage is near. */
const PLANNED = {
  "event loop of a node": 0.7,
  "CPU of the nodes": 0.7,
  "runs at work (`MAX_RUNNING_RUNS`)": 0.8,
  "memory of a node": 0.8,
  "disk of a node": 0.8,
  "writes to the disk of a node": 0.7,
  "CPU of PostgreSQL": 0.7,
  "disk of PostgreSQL": 0.8,
  "writes to the disk of PostgreSQL": 0.7,
  connections: 0.7,
  "connections that nodes hold": 0.9,
  "signals between nodes": 0.2,
} as const;
export type ResourceName = keyof typeof PLANNED;

/** Those of which more nodes have more. */
const OF_NODES: ReadonlySet<ResourceName> = new Set([
  "event loop of a node",
  "CPU of the nodes",
  "runs at work (`MAX_RUNNING_RUNS`)",
  "memory of a node",
  "disk of a node",
  "writes to the disk of a node",
]);

/** Connections of one node's pool, beside the one that listens. */
const POOL_CONNECTIONS = 10;
/** Of PostgreSQL: each fsync writes the last page of the log again. */
const LOG_PAGE_BYTES = 8_192;
const SECONDS_A_DAY = 86_400;

export function peakRunsPerSecond({ runsPerDay, peakFactor }: Load): number {
  return (runsPerDay * peakFactor) / SECONDS_A_DAY;
}

/** Little's law: runs at work at the peak. */
export function runsAtWork(load: Load): number {
  return peakRunsPerSecond(load) * load.runSeconds;
}

/** What one run of the load consists of. */
export function countsOf(load: Load): RunCounts {
  return {
    run: 1,
    checkout: 1,
    turn: load.turnsPerRun,
    event: load.eventsPerRun,
    second: load.runSeconds,
    search: load.searchesPerRun,
    write: load.writesPerRun,
    command: load.commandsPerRun,
  };
}

/** CPU that one run takes of a node, ms: `process` on the event loop's core, `children` on any. The measured run has one poll. */
export function nodeCpuMsPerRun(
  costs: Costs,
  store: StoreCosts,
  load: Load,
): { process: number; children: number } {
  const { eventsPerRun: events, pollsPerRun, socketsPerRun } = load;
  const ofRun = (cost: RunCost, name: "processCpuMs" | "childrenCpuMs") =>
    costOf(onRepository(cost, load.repository === "large" ? costs.large[name] : null), countsOf(load));
  const polls = (pollsPerRun - 1) * events * store.pollCpuMs;
  const sockets = socketsPerRun * (store.socketOpenCpuMs + events * store.deliveryCpuMs);
  return {
    process: Math.max(0, ofRun(store.processCpuMs, "processCpuMs") + polls + sockets),
    children:
      ofRun(store.childrenCpuMs, "childrenCpuMs") + load.commandsPerRun * load.commandCpuSeconds * 1000,
  };
}

/** CPU that one run takes of the database, ms. */
export function databaseCpuMsPerRun(costs: DatabaseCosts, load: Load): number {
  const others = load.pollsPerRun + load.socketsPerRun - 1;
  return Math.max(0, costOf(costs.runCpuMs, countsOf(load)) + others * load.eventsPerRun * costs.pollCpuMs);
}

/** What one run causes to be written to its node's disk, bytes. */
export function nodeDiskBytesPerRun(costs: Costs, store: StoreCosts, load: Load): number {
  const repository = load.repository === "large" ? costs.large.diskBytes : null;
  return costOf(onRepository(store.diskBytes, repository), countsOf(load));
}

/** All resources of the deployment under the load. */
export function resourcesOf(costs: Costs, load: Load, deployment: Deployment): Resource[] {
  const { database } = deployment;
  const store = database === null ? costs.sqlite : costs.postgres;
  if (store === null) throw new RangeError("There are no costs of PostgreSQL.");
  const ofNodes = [
    ...processorResources({ costs, store }, load, deployment),
    ...nodeDiskResources({ costs, store }, load, deployment),
  ];
  if (database === null) return ofNodes;
  if (costs.database === null) throw new RangeError("There are no costs of PostgreSQL.");
  return [
    ...ofNodes,
    ...databaseResources({ store, ofDatabase: costs.database }, load, { ...deployment, database }),
  ];
}

type NodeCosts = { readonly costs: Costs; readonly store: StoreCosts };

function processorResources({ costs, store }: NodeCosts, load: Load, deployment: Deployment): Resource[] {
  const { nodes, cores, nodeMemoryBytes, runsPerNode } = deployment;
  const atWork = runsAtWork(load) / nodes;
  const perSecond = peakRunsPerSecond(load) / nodes / 1000;
  const { process, children } = nodeCpuMsPerRun(costs, store, load);
  const idle = store.idleCpuMs / 1000;
  const ofRun = load.repository === "large" ? costs.large.workingRunBytes : store.workingRunBytes;
  const bytes = ofRun + load.pollsPerRun * store.pollBytes + load.socketsPerRun * store.socketBytes;
  return [
    resource("event loop of a node", perSecond * process + idle, idle),
    resource("CPU of the nodes", (perSecond * (process + children) + idle) / cores, idle / cores),
    resource("runs at work (`MAX_RUNNING_RUNS`)", atWork / runsPerNode),
    resource(
      "memory of a node",
      (store.baseBytes + atWork * bytes) / nodeMemoryBytes,
      store.baseBytes / nodeMemoryBytes,
    ),
  ];
}

function nodeDiskResources({ costs, store }: NodeCosts, load: Load, deployment: Deployment): Resource[] {
  const { nodes, nodeDiskBytes, disk, database } = deployment;
  const rate = peakRunsPerSecond(load) / nodes;
  const checkouts = (runsAtWork(load) / nodes) * costs[load.repository].checkoutBytes;
  const stored = database === null ? storedBytes(store, load) : 0;
  const written = {
    bytesPerSecond: rate * nodeDiskBytesPerRun(costs, store, load),
    fsyncsPerSecond: rate * costOf(store.fsyncs, countsOf(load)),
  };
  return [
    resource("disk of a node", (checkouts + stored) / nodeDiskBytes),
    resource("writes to the disk of a node", shareOfDisk(disk, written)),
  ];
}

/** Each fsync is a write that somebody waits for, all else is written in larger ones: the scarcer of bytes and writes counts. */
function shareOfDisk(
  disk: DiskSpeed,
  { bytesPerSecond, fsyncsPerSecond }: { bytesPerSecond: number; fsyncsPerSecond: number },
): number {
  const writesPerSecond = fsyncsPerSecond + bytesPerSecond / disk.bytesPerWrite;
  return Math.max(bytesPerSecond / disk.bytesPerSecond, writesPerSecond / disk.writesPerSecond);
}

/** Bytes that a database holds once the oldest runs expire. */
export function storedBytes(costs: StoreCosts, load: Load): number {
  const { runsPerDay, eventsPerRun, recordDays, retentionDays } = load;
  const { recordBytes, inputBytes, eventBytes } = costs;
  const run =
    recordBytes * recordDays + inputBytes * retentionDays + eventsPerRun * eventBytes * retentionDays;
  return runsPerDay * run;
}

function databaseResources(
  { store, ofDatabase: costs }: { store: StoreCosts; ofDatabase: DatabaseCosts },
  load: Load,
  { nodes, disk, database }: Deployment & { database: DatabaseServers },
): Resource[] {
  const { partitions, cores, connections, diskBytes } = database;
  const rate = peakRunsPerSecond(load) / partitions;
  const nodesOfOne = nodes / partitions;
  const idle = (nodesOfOne * costs.idleCpuMs) / 1000 / cores;
  const counts = countsOf(load);
  const pooled = Math.min(connections, nodesOfOne * POOL_CONNECTIONS);
  const held = (nodesOfOne * (POOL_CONNECTIONS + 1)) / connections;
  const fsyncsPerSecond = rate * costOf(costs.fsyncs, counts);
  const written = {
    bytesPerSecond: rate * costOf(costs.walBytes, counts) + fsyncsPerSecond * LOG_PAGE_BYTES,
    fsyncsPerSecond,
  };
  return [
    resource("disk of PostgreSQL", storedBytes(store, load) / partitions / diskBytes),
    resource("CPU of PostgreSQL", (rate * databaseCpuMsPerRun(costs, load)) / 1000 / cores + idle, idle),
    resource("writes to the disk of PostgreSQL", shareOfDisk(disk, written)),
    resource("connections", (rate * costOf(costs.connectionMs, counts)) / 1000 / pooled),
    resource("connections that nodes hold", held, held),
    // Of the events of its partition, which more nodes do not make less.
    resource(
      "signals between nodes",
      nodes > partitions ? (rate * counts.event * costs.signalCpuMs) / 1000 : 0,
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
    store.processCpuMs.parts.event,
    usedOf("event loop of a node") + usedOf("signals between nodes"),
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
  const transactions = costOf(costs.transactions, countsOf(load));
  const perSecond = (peakRunsPerSecond(load) / servers.partitions) * transactions;
  const serviceSeconds = databaseCpuMsPerRun(costs, load) / 1000 / transactions;
  const waitMs = 1000 * meanWait({ servers: servers.cores, perSecond, serviceSeconds });
  const statements = Math.max(1, costs.transactions.parts.event);
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
  const ofNodes = (name: ResourceName) => OF_NODES.has(name);
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
