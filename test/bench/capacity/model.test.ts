import { describe, expect, it } from "vitest";
import {
  type Costs,
  costOf,
  type DatabaseCosts,
  onRepository,
  type RepositoryCost,
  type RunCost,
  type RunPart,
  runParts,
  type StoreCosts,
} from "../../../bench/capacity/costs.ts";
import {
  countsOf,
  type DatabaseServers,
  type Deployment,
  databaseCpuMsPerRun,
  type Load,
  latenciesOf,
  limitsOf,
  meanWait,
  neededFor,
  nodeCpuMsPerRun,
  nodeDiskBytesPerRun,
  peakRunsPerSecond,
  probabilityOfWaiting,
  type ResourceName,
  resourcesOf,
  runsAtWork,
  sharedTime,
  storedBytes,
} from "../../../bench/capacity/model.ts";

/** Exactly these parts, the others cost nothing. */
function runCost(parts: Partial<Record<RunPart, number>>): RunCost {
  const all = (value: (part: RunPart) => number) =>
    Object.fromEntries(runParts.map((part) => [part, value(part)])) as Record<RunPart, number>;
  return { parts: all((part) => parts[part] ?? 0), errors: all(() => 0), largestMiss: 0, medianMiss: 0 };
}

function ofRepository(checkout: number, each: number): RepositoryCost {
  const errors = { checkout: 0, search: 0, write: 0, command: 0 };
  return {
    parts: { checkout, search: each, write: each, command: each },
    errors,
    largestMiss: 0,
    medianMiss: 0,
  };
}

// Numbers that can be checked by hand. A run has 2 turns, 10 events, a search, a written file and 2 commands:
// 10 + 2·5 + 10·1 = 30 ms of a node's process, 20 + 2·5 + 1·2 + 2·4 = 40 ms of its children.
const store: StoreCosts = {
  processCpuMs: runCost({ run: 10, turn: 5, event: 1 }),
  childrenCpuMs: runCost({ checkout: 20, turn: 5, search: 2, command: 4 }),
  // 50,000 + 10·5,000 = 100,000 bytes; 1 + 10·0.1 = 2 fsyncs.
  diskBytes: runCost({ checkout: 50_000, event: 5_000 }),
  fsyncs: runCost({ run: 1, event: 0.1 }),
  idleCpuMs: 0,
  pollCpuMs: 0.5,
  pollBytes: 1_000,
  deliveryCpuMs: 0.1,
  socketOpenCpuMs: 1,
  socketBytes: 2_000,
  baseBytes: 100_000_000,
  workingRunBytes: 1_000_000,
  recordBytes: 1_000,
  inputBytes: 500,
  eventBytes: 100,
};
// 4 + 2·1 + 10·0.4 = 10 ms of PostgreSQL, 2 ms of them for the poll; 8 transactions; 10 KB of log; 20 ms on a connection.
const database: DatabaseCosts = {
  runCpuMs: runCost({ run: 4, turn: 1, event: 0.4 }),
  transactions: runCost({ run: 2, turn: 0.5, event: 0.5 }),
  walBytes: runCost({ run: 3_000, turn: 1_000, event: 500 }),
  connectionMs: runCost({ run: 8, turn: 1, event: 1 }),
  fsyncs: runCost({ run: 1, event: 0.5 }),
  idleCpuMs: 0,
  idleTransactions: 0.1,
  pollCpuMs: 0.2,
  signalCpuMs: 0.01,
};
const costs: Costs = {
  measuredOn: "2026-01-01",
  machine: "a table",
  sqlite: store,
  postgres: store,
  database,
  small: { files: 40, checkoutBytes: 500_000 },
  large: {
    files: 26_000,
    checkoutBytes: 100_000_000,
    processCpuMs: ofRepository(5, 0),
    childrenCpuMs: ofRepository(2_000, 100),
    diskBytes: ofRepository(150_000_000, 10_000),
    workingRunBytes: 3_000_000,
  },
};

// 86,400 runs a day at 10 × the mean: 10 a second.
const load: Load = {
  runsPerDay: 86_400,
  peakFactor: 10,
  repository: "small",
  turnsPerRun: 2,
  eventsPerRun: 10,
  searchesPerRun: 1,
  writesPerRun: 1,
  commandsPerRun: 2,
  commandCpuSeconds: 0.1,
  runSeconds: 60,
  pollsPerRun: 1,
  socketsPerRun: 0,
  retentionDays: 30,
  recordDays: 365,
};

const large: Load = { ...load, repository: "large" };

const servers: DatabaseServers = {
  partitions: 1,
  cores: 2,
  diskBytes: 1e12,
  connections: 100,
};
const embedded: Deployment = {
  nodes: 1,
  cores: 4,
  nodeMemoryBytes: 1_000_000_000,
  runsPerNode: 1_000,
  nodeDiskBytes: 1e12,
  disk: { bytesPerSecond: 100_000_000, writesPerSecond: 3_000, bytesPerWrite: 50_000 },
  database: null,
};
const shared: Deployment = { ...embedded, nodes: 4, nodeDiskBytes: 1e9, database: servers };

const usedOf = (deployment: Deployment, name: ResourceName, asked: Load = load) =>
  resourcesOf(costs, asked, deployment).find((resource) => resource.name === name)?.used;

describe("the cost of a run", () => {
  it("is the sum of its parts", () => {
    expect(costOf(store.processCpuMs, countsOf(load))).toBe(30);
    expect(costOf(runCost({ second: 0.5 }), countsOf(load))).toBe(30);
    expect(costOf(onRepository(store.childrenCpuMs, null), countsOf(load))).toBe(40);
    // The turns stay as they are: 2,000 + 2·5 + (1 + 1 + 2)·100.
    expect(costOf(onRepository(store.childrenCpuMs, costs.large.childrenCpuMs), countsOf(load))).toBe(2_410);
  });

  it("grows with polls and sockets that follow it, and with what its commands compute", () => {
    // Two commands of 100 ms each beside the 40 ms.
    const of = (change: Partial<Load>) => nodeCpuMsPerRun(costs, store, { ...load, ...change });
    expect(of({})).toEqual({ process: 30, children: 240 });
    expect(of({ pollsPerRun: 3 }).process).toBe(30 + 2 * 10 * 0.5);
    expect(of({ socketsPerRun: 2 }).process).toBe(30 + 2 * (1 + 10 * 0.1));
    expect(of({ commandsPerRun: 0 }).children).toBe(32);
    expect(of({ repository: "large" })).toEqual({ process: 35, children: 2_610 });
  });

  it("is of the database the measured one and what further polls and sockets read", () => {
    expect(databaseCpuMsPerRun(database, load)).toBe(10);
    expect(databaseCpuMsPerRun(database, { ...load, pollsPerRun: 2, socketsPerRun: 1 })).toBe(10 + 2 * 2);
  });

  it("on the disk is what its repository and its events take", () => {
    expect(nodeDiskBytesPerRun(costs, store, load)).toBe(100_000);
    expect(nodeDiskBytesPerRun(costs, store, large)).toBe(150_000_000 + 50_000 + 4 * 10_000);
  });
});

describe("utilisation", () => {
  it("follows the peak: arrivals by what each takes, by servers", () => {
    expect(peakRunsPerSecond(load)).toBe(10);
    expect(usedOf(embedded, "event loop of a node")).toBeCloseTo(10 * 0.03, 9);
    expect(usedOf(embedded, "CPU of the nodes")).toBeCloseTo((10 * 0.27) / 4, 9);
    expect(usedOf(shared, "CPU of the nodes")).toBeCloseTo((10 * 0.27) / 16, 9);
    expect(usedOf(shared, "CPU of PostgreSQL")).toBeCloseTo((10 * 0.01) / 2, 9);
  });

  it("has what nodes take without runs, too", () => {
    const idle = {
      ...costs,
      postgres: { ...store, idleCpuMs: 10 },
      database: { ...database, idleCpuMs: 50 },
    };
    const resources = resourcesOf(idle, load, shared);
    const of = (wanted: ResourceName) => resources.find(({ name }) => name === wanted);
    expect(of("event loop of a node")).toMatchObject({ used: 10 * 0.0075 + 0.01, usedIdle: 0.01 });
    expect(of("CPU of PostgreSQL")?.usedIdle).toBeCloseTo((4 * 0.05) / 2, 9);
    expect(of("CPU of PostgreSQL")?.used).toBeCloseTo((4 * 0.05) / 2 + 0.05, 9);
  });

  it("of a disk's writes is that of the scarcer, bytes or writes", () => {
    // 10 runs × (2 fsyncs + 100,000 bytes by 50,000) of 3,000 writes; 1 MB of 100 MB: less.
    expect(usedOf(embedded, "writes to the disk of a node")).toBeCloseTo((10 * (2 + 2)) / 3_000, 9);
    // 150 MB at a time: 10 × 150.09 MB of 100 MB/s; 30,018 + 20 of 3,000 writes: less.
    const fewWrites = { ...embedded, disk: { ...embedded.disk, bytesPerWrite: 1_000_000 } };
    expect(usedOf(fewWrites, "writes to the disk of a node", large)).toBeCloseTo((10 * 150_090_000) / 1e8, 9);
    // 10 × 6 fsyncs, and 10,000 bytes of log with a page of 8,192 for each of them, by 50,000.
    expect(usedOf(shared, "writes to the disk of PostgreSQL")).toBeCloseTo(
      (10 * (6 + (10_000 + 6 * 8_192) / 50_000)) / 3_000,
      9,
    );
  });

  it("of runs, memory and connections follows Little's law", () => {
    expect(runsAtWork(load)).toBe(600);
    expect(usedOf(embedded, "runs at work (`MAX_RUNNING_RUNS`)")).toBeCloseTo(0.6, 9);
    // 600 runs, each with a poll: 600 × 1,001,000 bytes beside the node's own.
    expect(usedOf(embedded, "memory of a node")).toBeCloseTo(0.1 + 0.6006, 9);
    expect(usedOf(embedded, "memory of a node", large)).toBeCloseTo(0.1 + 1.8006, 9);
    // 10 a second × 20 ms: 0.2 of 4 × 10 connections. Each node holds 11, whatever the load is.
    expect(usedOf(shared, "connections that nodes hold")).toBeCloseTo(44 / 100, 9);
    expect(usedOf(shared, "connections")).toBeCloseTo(0.2 / 40, 9);
  });

  it("of the disk counts records for longer than events", () => {
    const bytes = 86_400 * (365 * 1_000 + 30 * 500 + 30 * 10 * 100);
    expect(storedBytes(store, load)).toBe(bytes);
    expect(usedOf(shared, "disk of PostgreSQL")).toBeCloseTo(bytes / 1e12, 9);
    // With SQLite the store is on the node's disk, beside the checkouts of 600 runs at work.
    expect(usedOf(embedded, "disk of a node")).toBeCloseTo((bytes + 600 * 500_000) / 1e12, 9);
    expect(usedOf(shared, "disk of a node")).toBeCloseTo((150 * 500_000) / 1e9, 9);
    expect(usedOf(shared, "disk of a node", large)).toBeCloseTo((150 * 100_000_000) / 1e9, 9);
  });

  it("of signals is none with one node, and not less with more nodes", () => {
    const many = { ...shared, nodes: 40 };
    expect(usedOf({ ...shared, nodes: 1 }, "signals between nodes")).toBe(0);
    expect(usedOf(shared, "signals between nodes")).toBeCloseTo(10 * 10 * 0.00001, 9);
    expect(usedOf(many, "signals between nodes")).toBe(usedOf(shared, "signals between nodes"));
  });
});

describe("what moves a limit", () => {
  const withServers = (change: Partial<DatabaseServers>): Deployment => ({
    ...shared,
    database: { ...servers, ...change },
  });

  it("partitions divide what a database has to do", () => {
    const deployment = withServers({ partitions: 4 });
    for (const name of [
      "CPU of PostgreSQL",
      "writes to the disk of PostgreSQL",
      "disk of PostgreSQL",
      "connections that nodes hold",
    ] as const)
      expect(usedOf(deployment, name)).toBeCloseTo((usedOf(shared, name) ?? Number.NaN) / 4, 9);
    // A partition has one node: nobody to tell.
    expect(usedOf(deployment, "signals between nodes")).toBe(0);
    expect(usedOf(deployment, "CPU of the nodes")).toBe(usedOf(shared, "CPU of the nodes"));
  });
});

describe("limits", () => {
  it("are the loads at which each resource is used as planned, the first to end first", () => {
    const limits = limitsOf(resourcesOf(costs, load, embedded), load);
    expect(limits.map(({ name }) => name)).toEqual([
      "CPU of the nodes",
      "memory of a node",
      "runs at work (`MAX_RUNNING_RUNS`)",
      "event loop of a node",
      "disk of a node",
      "writes to the disk of a node",
    ]);
    // Of memory 0.8 is planned, 0.1 is the node's own: 0.7 is left, the load takes 0.6006.
    expect(limits[1]?.runsPerDay).toBeCloseTo((86_400 * 0.7) / 0.6006, 9);
    expect(limits[2]?.runsPerDay).toBeCloseTo((86_400 * 0.8) / 0.6, 9);
    for (const { name, runsPerDay } of limits) {
      const atLimit = resourcesOf(costs, { ...load, runsPerDay }, embedded).find((one) => one.name === name);
      expect(atLimit?.used).toBeCloseTo(atLimit?.planned ?? Number.NaN, 9);
    }
  });

  it("decide how many nodes and databases a load takes", () => {
    // 1,000 runs a second: 60,000 at work.
    const hundredfold = { ...load, runsPerDay: 8_640_000 };
    const needed = neededFor(costs, hundredfold, shared);
    // CPU: 270 cores into 4 × 0.7. Memory is less: 60,000 runs, of which 699 fit beside a node's own.
    expect(needed?.nodes).toBe(Math.ceil(270 / 2.8));
    // The 11 connections of 97 nodes into 90. Disk: 3.5 TB into 0.8 TB. CPU: 10 cores into 1.4. Writes: 7,200 into 2,100.
    expect(needed?.partitions).toBe(Math.ceil((97 * 11) / 90));
    expect(neededFor(costs, hundredfold, embedded)).toBeNull();
    expect(neededFor(costs, { ...load, runsPerDay: 86_400 }, embedded)).toEqual({ nodes: 1, partitions: 1 });
  });

  it("of a large repository are those of processors and disks", () => {
    // 100 runs a second write 15 GB into 70 MB/s. CPU: 2.645 s a run into 4 cores × 0.7.
    const tenfold = { ...large, runsPerDay: 864_000 };
    const roomy = { ...shared, nodeDiskBytes: 1e13 };
    expect(neededFor(costs, tenfold, roomy)?.nodes).toBe(Math.ceil((100 * 150_090_000) / 70e6));
    // 6,000 runs at work: a disk of 1 GB holds 8 checkouts of 100 MB.
    expect(neededFor(costs, tenfold, shared)?.nodes).toBe(Math.ceil(6_000 / 8));
  });

  it("make room for the connections that nodes hold", () => {
    // 27 cores into 4 × 0.7 are 10 nodes; 90 of 100 connections are for 8 nodes of 11 each.
    const one = { ...shared, database: { ...servers, diskBytes: 1e15 } };
    const needed = neededFor(costs, { ...load, runsPerDay: 864_000 }, one);
    expect(needed).toEqual({ nodes: 10, partitions: 2 });
  });
});

describe("waiting", () => {
  it("follows Erlang's C", () => {
    // One server: the probability is its utilisation. Two at an offered load of 1: 1/3.
    expect(probabilityOfWaiting(1, 0.6)).toBeCloseTo(0.6, 9);
    expect(probabilityOfWaiting(2, 1)).toBeCloseTo(1 / 3, 9);
    // A table's value: 10 servers, 7 offered.
    expect(probabilityOfWaiting(10, 7)).toBeCloseTo(0.2217, 3);
    expect(probabilityOfWaiting(3, 3)).toBe(1);
    expect(probabilityOfWaiting(80_000, 40_000)).toBeCloseTo(0, 9);
  });

  it("of M/M/1 is S·U/(1−U), and endless where more comes than is served", () => {
    expect(meanWait({ servers: 1, perSecond: 5, serviceSeconds: 0.1 })).toBeCloseTo(0.1, 9);
    expect(meanWait({ servers: 2, perSecond: 10, serviceSeconds: 0.1 })).toBeCloseTo(0.1 / 3, 9);
    expect(meanWait({ servers: 1, perSecond: 10, serviceSeconds: 0.1 })).toBe(Number.POSITIVE_INFINITY);
  });

  it("at a shared server is S/(1−U)", () => {
    expect(sharedTime(2, 0.75)).toBe(8);
    expect(sharedTime(2, 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("of an event is its time in nodes and in the database", () => {
    // 1 ms at a node whose event loop is used by 0.3.
    expect(latenciesOf(costs, load, embedded).eventMs).toBeCloseTo(1 / 0.7, 9);
    // 80 transactions a second of 1.25 ms each on 2 cores: offered 0.1, C = 0.1²/(2 + 0.1).
    const signals = 10 * 10 * 0.00001;
    const wait = ((0.01 / 2.1) * 1.25) / (2 - 0.1);
    expect(latenciesOf(costs, load, shared).eventMs).toBeCloseTo(1 / (1 - 0.075 - signals) + 1.25 + wait, 9);
  });
});
