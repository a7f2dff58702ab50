import { describe, expect, it } from "vitest";
import type { Costs, DatabaseCosts, StoreCosts } from "../../../bench/capacity/costs.ts";
import { costOf, solveRunCost } from "../../../bench/capacity/costs.ts";
import {
  type DatabaseServers,
  type Deployment,
  databaseCpuMsPerRun,
  type Load,
  latenciesOf,
  limitsOf,
  meanWait,
  neededFor,
  nodeCpuMsPerRun,
  peakRunsPerSecond,
  probabilityOfWaiting,
  type ResourceName,
  resourcesOf,
  runsAtWork,
  sharedTime,
  storedBytes,
} from "../../../bench/capacity/model.ts";

// Numbers that can be checked by hand. A run has 2 turns and 10 events: 10 + 2·5 + 10·1 = 30 ms of a node.
const store: StoreCosts = {
  runCpuMs: { run: 10, turn: 5, event: 1 },
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
  runCpuMs: { run: 4, turn: 1, event: 0.4 },
  transactions: { run: 2, turn: 0.5, event: 0.5 },
  walBytes: { run: 3_000, turn: 1_000, event: 500 },
  connectionMs: { run: 8, turn: 1, event: 1 },
  pollCpuMs: 0.2,
  signalCpuMs: 0.01,
};
const costs: Costs = {
  measuredOn: "2026-01-01",
  machine: "a table",
  sqlite: store,
  postgres: store,
  database,
};

// 86,400 runs a day at 10 × the mean: 10 a second.
const load: Load = {
  runsPerDay: 86_400,
  peakFactor: 10,
  turnsPerRun: 2,
  eventsPerRun: 10,
  runSeconds: 60,
  pollsPerRun: 1,
  socketsPerRun: 0,
  retentionDays: 30,
  recordDays: 365,
};

const servers: DatabaseServers = {
  partitions: 1,
  cores: 2,
  walBytesPerSecond: 1_000_000,
  connections: 100,
  replicas: 0,
  hasEventArchive: false,
  hasTargetedSignals: false,
};
const embedded: Deployment = {
  nodes: 1,
  nodeMemoryBytes: 1_000_000_000,
  runsPerNode: 1_000,
  diskBytes: 1e12,
  database: null,
};
const shared: Deployment = { ...embedded, nodes: 4, database: servers };

const usedOf = (deployment: Deployment, name: ResourceName, asked: Load = load) =>
  resourcesOf(costs, asked, deployment).find((resource) => resource.name === name)?.used;

describe("the cost of a run", () => {
  it("is solved from three runs that differ in turns, then in events", () => {
    const point = (turns: number, events: number) => ({
      turns,
      events,
      cost: costOf(store.runCpuMs, { turns, events }),
    });
    const solved = solveRunCost([point(1, 20), point(6, 90), point(6, 300)]);
    expect(solved.run).toBeCloseTo(10, 9);
    expect(solved.turn).toBeCloseTo(5, 9);
    expect(solved.event).toBeCloseTo(1, 9);
  });

  it("has no part below zero, and then comes as close as the others can", () => {
    const points = [
      { turns: 1, events: 10, cost: 100 },
      { turns: 6, events: 60, cost: 90 },
      { turns: 6, events: 260, cost: 80 },
    ];
    expect(solveRunCost(points)).toEqual({ run: 90, turn: 0, event: 0 });
    // Turns alone: 2·1 and 2·3 fit exactly, and a run that costs less than nothing is not taken.
    const turns = solveRunCost([
      { turns: 1, events: 10, cost: 1 },
      { turns: 3, events: 10, cost: 7 },
      { turns: 3, events: 30, cost: 7 },
    ]);
    expect(turns.run).toBe(0);
    expect(turns.event).toBe(0);
    // Least squares through zero: (1·1 + 3·7 + 3·7) / (1 + 9 + 9).
    expect(turns.turn).toBeCloseTo(43 / 19, 9);
  });

  it("grows with polls and sockets that follow it", () => {
    expect(nodeCpuMsPerRun(store, load)).toBe(30);
    expect(nodeCpuMsPerRun(store, { ...load, pollsPerRun: 3 })).toBe(30 + 2 * 10 * 0.5);
    expect(nodeCpuMsPerRun(store, { ...load, socketsPerRun: 2 })).toBe(30 + 2 * (1 + 10 * 0.1));
  });

  it("is of the database writes and reads apart", () => {
    expect(databaseCpuMsPerRun(database, load)).toEqual({ writes: 8, reads: 2 });
    expect(databaseCpuMsPerRun(database, { ...load, pollsPerRun: 2, socketsPerRun: 1 })).toEqual({
      writes: 8,
      reads: 6,
    });
  });
});

describe("utilisation", () => {
  it("follows the peak: arrivals by what each takes, by servers", () => {
    expect(peakRunsPerSecond(load)).toBe(10);
    expect(usedOf(embedded, "CPU of the nodes")).toBeCloseTo(10 * 0.03, 9);
    expect(usedOf(shared, "CPU of the nodes")).toBeCloseTo((10 * 0.03) / 4, 9);
    expect(usedOf(shared, "CPU of PostgreSQL")).toBeCloseTo((10 * 0.01) / 2, 9);
    expect(usedOf(shared, "write-ahead log")).toBeCloseTo((10 * 10_000) / 1_000_000, 9);
  });

  it("of runs, memory and connections follows Little's law", () => {
    expect(runsAtWork(load)).toBe(600);
    expect(usedOf(embedded, "runs at work (`MAX_RUNNING_RUNS`)")).toBeCloseTo(0.6, 9);
    // 600 runs, each with a poll: 600 × 1,001,000 bytes beside the node's own.
    expect(usedOf(embedded, "memory of a node")).toBeCloseTo(0.1 + 0.6006, 9);
    // 10 a second × 20 ms: 0.2 of 4 × 10 connections.
    expect(usedOf(shared, "connections")).toBeCloseTo(0.2 / 40, 9);
  });

  it("of the disk counts records for longer than events", () => {
    const bytes = 86_400 * (365 * 1_000 + 30 * 500 + 30 * 10 * 100);
    expect(storedBytes(store, load, { events: 30 })).toBe(bytes);
    expect(usedOf(embedded, "disk")).toBeCloseTo(bytes / 1e12, 9);
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

  it("replicas take the reads from the primary", () => {
    const deployment = withServers({ replicas: 2 });
    expect(usedOf(deployment, "CPU of PostgreSQL")).toBeCloseTo((10 * 0.008) / 2, 9);
    expect(usedOf(deployment, "CPU of a replica")).toBeCloseTo((10 * 0.002) / 4, 9);
    expect(usedOf(deployment, "write-ahead log")).toBe(usedOf(shared, "write-ahead log"));
  });

  it("partitions divide what a database has to do", () => {
    const deployment = withServers({ partitions: 4 });
    for (const name of ["CPU of PostgreSQL", "write-ahead log", "disk"] as const)
      expect(usedOf(deployment, name)).toBeCloseTo((usedOf(shared, name) ?? Number.NaN) / 4, 9);
    // A partition has one node: nobody to tell.
    expect(usedOf(deployment, "signals between nodes")).toBe(0);
    expect(usedOf(deployment, "CPU of the nodes")).toBe(usedOf(shared, "CPU of the nodes"));
  });

  it("signals to the nodes that wait are divided among all nodes", () => {
    const deployment = withServers({ hasTargetedSignals: true });
    expect(usedOf(deployment, "signals between nodes")).toBeCloseTo((10 * 10 * 0.00001) / 4, 9);
  });

  it("an archive leaves a day of events on the disk, and the log as it is", () => {
    const deployment = withServers({ hasEventArchive: true });
    expect(usedOf(deployment, "disk")).toBeCloseTo((86_400 * (365_000 + 15_000 + 1_000)) / 1e12, 9);
    expect(usedOf(deployment, "write-ahead log")).toBe(usedOf(shared, "write-ahead log"));
  });
});

describe("limits", () => {
  it("are the loads at which each resource is used as planned, the first to end first", () => {
    const limits = limitsOf(resourcesOf(costs, load, embedded), load);
    expect(limits.map(({ name }) => name)).toEqual([
      "memory of a node",
      "runs at work (`MAX_RUNNING_RUNS`)",
      "CPU of the nodes",
      "disk",
    ]);
    // Of memory 0.8 is planned, 0.1 is the node's own: 0.7 is left, the load takes 0.6006.
    expect(limits[0]?.runsPerDay).toBeCloseTo((86_400 * 0.7) / 0.6006, 9);
    expect(limits[1]?.runsPerDay).toBeCloseTo((86_400 * 0.8) / 0.6, 9);
    for (const { name, runsPerDay } of limits) {
      const atLimit = resourcesOf(costs, { ...load, runsPerDay }, embedded).find((one) => one.name === name);
      expect(atLimit?.used).toBeCloseTo(atLimit?.planned ?? Number.NaN, 9);
    }
  });

  it("decide how many nodes and databases a load takes", () => {
    // 1,000 runs a second: 30 cores of 0.7, 60,000 runs at work of 800 a node.
    const large = { ...load, runsPerDay: 8_640_000 };
    const needed = neededFor(costs, large, shared);
    // Memory is the most: 60,000 runs × 1,001,000 bytes into 700 MB beside a node's own.
    expect(needed?.nodes).toBe(Math.ceil(60_000 / (700_000_000 / 1_001_000)));
    // Disk: 410 KB a run and day into 0.8 TB; log: 10 MB/s into 0.7 MB/s; the disk has 3.54 TB, so the log decides.
    expect(needed?.partitions).toBe(Math.ceil(10_000_000 / 700_000));
    expect(neededFor(costs, large, embedded)).toBeNull();
    expect(neededFor(costs, { ...load, runsPerDay: 86_400 }, embedded)).toEqual({ nodes: 1, partitions: 1 });
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
    // 1 ms at a node that is used by 0.3.
    expect(latenciesOf(costs, load, embedded).eventMs).toBeCloseTo(1 / 0.7, 9);
    // 80 transactions a second of 1.25 ms each on 2 cores: offered 0.1, C = 0.1²/(2 + 0.1).
    const signals = 10 * 10 * 0.00001;
    const wait = ((0.01 / 2.1) * 1.25) / (2 - 0.1);
    expect(latenciesOf(costs, load, shared).eventMs).toBeCloseTo(1 / (1 - 0.075 - signals) + 1.25 + wait, 9);
  });
});
