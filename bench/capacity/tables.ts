// The tables of the capacity page, as Markdown: measured costs, assumptions, and what the model makes of both. Pure.

import { bytes, count, factor, millis, plain, share, table } from "./cells.ts";
import { type Costs, costOf, type RunPart, runParts, type StoreCosts } from "./costs.ts";
import type { Fit } from "./fit.ts";
import {
  countsOf,
  databaseCpuMsPerRun,
  type Load,
  latenciesOf,
  limitsOf,
  neededFor,
  nodeCpuMsPerRun,
  nodeDiskBytesPerRun,
  peakRunsPerSecond,
  resourcesOf,
  runsAtWork,
  storedBytes,
} from "./model.ts";
import {
  ASSUMED_ON,
  asItIs,
  deployments,
  type NamedDeployment,
  oneNode,
  partitioned,
  scaled,
  scales,
  today,
  todayLarge,
  twentyNodes,
} from "./scenarios.ts";

const LIMITS_SHOWN = 3;
const MIB = 1024 ** 2;
/** CPU is told in ticks of 10 ms, and a node without runs is watched for 6 s. */
const LEAST_IDLE_MS = 10 / 6;

/** What the parts of a run cost, and how far that misses the runs that were measured. */
export function runCostsTable(costs: Costs): string {
  const { sqlite, postgres, database, large } = costs;
  const ofStore = (name: string, store: StoreCosts | null) =>
    store === null
      ? []
      : [
          partsRow(`CPU of the node's process, ${name}`, store.processCpuMs, millis),
          partsRow(`CPU of git and of the sandbox, ${name}`, store.childrenCpuMs, millis),
          partsRow(`Written to the node's disk, ${name}`, store.diskBytes, bytes),
        ];
  const ofDatabase =
    database === null
      ? []
      : [
          partsRow("CPU of PostgreSQL", database.runCpuMs, millis),
          partsRow("Transactions", database.transactions, plain),
          partsRow("Time on a connection", database.connectionMs, millis),
          partsRow("Write-ahead log", database.walBytes, bytes),
          partsRow("fsyncs of PostgreSQL's log", database.fsyncs, plain),
        ];
  return table(
    ["Cost", ...runParts, "misses the measured runs by at most; half of them by at most"],
    [
      ...ofStore("SQLite", sqlite),
      partsRow("fsyncs of the node, SQLite", sqlite.fsyncs, plain),
      ...ofStore("PostgreSQL", postgres),
      ...ofDatabase,
      partsRow(`${files(large)}: CPU of the node's process`, large.processCpuMs, millis),
      partsRow(`${files(large)}: CPU of git and of the sandbox`, large.childrenCpuMs, millis),
      partsRow(`${files(large)}: written to the node's disk`, large.diskBytes, bytes),
    ],
  );
}

function partsRow<Part extends RunPart>(
  what: string,
  fit: Fit<Part>,
  show: (value: number) => string,
): string[] {
  const cells = runParts.map((part) => (isPartOf(part, fit) ? partCell(fit, part, show) : "as above"));
  return [what, ...cells, `${share(fit.largestMiss)}; ${share(fit.medianMiss)}`];
}

function isPartOf<Part extends RunPart>(part: RunPart, { parts }: Fit<Part>): part is Part {
  return part in parts;
}

/** A bound where the measurement cannot tell the part from nothing, and words where it cannot tell it from other parts. */
function partCell<Part extends string>(
  { parts, errors }: Fit<Part>,
  part: Part,
  show: (value: number) => string,
): string {
  const [value, error] = [parts[part], errors[part]];
  if (error === null) return "not told apart";
  return value > error || error === 0 ? show(value) : `< ${show(value + error)}`;
}

function files({ files: number }: { files: number }): string {
  return `${count(number)} files`;
}

/** What those who wait cost, and what is kept. */
export function otherCostsTable(costs: Costs): string {
  const { sqlite, postgres, database, small, large } = costs;
  const row = (what: string, show: (store: StoreCosts) => string) => [
    what,
    show(sqlite),
    postgres === null ? "–" : show(postgres),
  ];
  const one = (what: string, value: number | undefined, show = millis) => [
    what,
    "–",
    value === undefined ? "–" : show(value),
  ];
  const both = (what: string, value: string) => [what, value, postgres === null ? "–" : value];
  return table(
    ["Cost", "SQLite", "PostgreSQL"],
    [
      row("CPU of the node, an event to a poll", ({ pollCpuMs }) => millis(pollCpuMs)),
      one("CPU of PostgreSQL, an event to a poll", database?.pollCpuMs),
      row("CPU of the node, an event to a socket", ({ deliveryCpuMs }) => millis(deliveryCpuMs)),
      row("CPU of the node, opening a socket", ({ socketOpenCpuMs }) => millis(socketOpenCpuMs)),
      one("CPU of every other node, an event", database?.signalCpuMs),
      row("CPU of a node without runs, a second", ({ idleCpuMs }) => idleMillis(idleCpuMs)),
      one("CPU of PostgreSQL for a node without runs, a second", database?.idleCpuMs, idleMillis),
      one("Transactions of a node without runs, a second", database?.idleTransactions, plain),
      row("Memory of a node, ready", ({ baseBytes }) => bytes(baseBytes)),
      row("Memory of a run at work, at the most", ({ workingRunBytes }) => bytes(workingRunBytes)),
      both(`the same, ${files(large)}`, bytes(large.workingRunBytes)),
      both(`Disk of the node while a run is at work, ${files(small)}`, bytes(small.checkoutBytes)),
      both(`the same, ${files(large)}`, bytes(large.checkoutBytes)),
      row("Memory of a waiting poll", ({ pollBytes }) => bytes(pollBytes)),
      row("Memory of a socket", ({ socketBytes }) => bytes(socketBytes)),
      row("Stored of a run for ever", ({ recordBytes }) => bytes(recordBytes)),
      row("Stored of a run until it expires: input + event", ({ inputBytes, eventBytes }) =>
        [bytes(inputBytes), bytes(eventBytes)].join(" + "),
      ),
    ],
  );
}

function idleMillis(value: number): string {
  return value < LEAST_IDLE_MS ? `< ${millis(LEAST_IDLE_MS)}` : millis(value);
}

/** What was not measured. */
export function assumptionsTable({ small, large }: Costs): string {
  const { database, cores, nodeMemoryBytes, nodeDiskBytes, runsPerNode, disk } = twentyNodes;
  return table(
    [`Assumption of ${ASSUMED_ON}`, "Value"],
    [
      ["Runs a day, 1 ×", count(today.runsPerDay)],
      ["The busiest second, beside the mean of the day", `${today.peakFactor} ×`],
      ["Files of the repository", `${count(small.files)}, or ${count(large.files)}`],
      ["Turns and events of a run", `${today.turnsPerRun} and ${today.eventsPerRun}`],
      [
        "Searches, written files and commands of a run",
        `${today.searchesPerRun}, ${today.writesPerRun} and ${today.commandsPerRun}`,
      ],
      ["What a command computes itself", `${today.commandCpuSeconds} s of a core`],
      ["How long a run takes", `${today.runSeconds} s`],
      ["Polls and sockets that follow a run", `${today.pollsPerRun} and ${today.socketsPerRun}`],
      ["`RETENTION_DAYS`; days of records on the disk", `${today.retentionDays}; ${today.recordDays}`],
      ["Cores and memory of a node", `${cores}; ${bytes(nodeMemoryBytes)}`],
      ["`MAX_RUNNING_RUNS`", count(runsPerNode)],
      [
        "Disk of a node beside PostgreSQL; of a node with SQLite; of a PostgreSQL",
        `${bytes(nodeDiskBytes)}; ${bytes(oneNode.nodeDiskBytes)}; ${bytes(database.diskBytes)}`,
      ],
      [
        "What each disk takes: Amazon's gp3 without extra throughput",
        `${count(disk.writesPerSecond)} writes/s, ${disk.bytesPerSecond / MIB} MiB/s`,
      ],
      [
        "A write to disk",
        `an fsync is one; what nobody waits for is written ${disk.bytesPerWrite / 1024} KiB at a time`,
      ],
      ["Connections of a PostgreSQL with 16 cores", count(database.connections)],
    ],
  );
}

/** Which resource ends first in each deployment, and at which load. */
export function limitsTable(costs: Costs): string {
  return table(
    ["Deployment", "Files", "First limit", "Then", "Then"],
    deployments
      .filter(isMeasured(costs))
      .flatMap(({ name, deployment }) =>
        [today, todayLarge].map((load) => [
          name,
          count(costs[load.repository].files),
          ...limitCells(costs, load, deployment),
        ]),
      ),
  );
}

/** What each change moves. */
export function leversTable(costs: Costs): string {
  return table(
    [`20 nodes, one PostgreSQL with 16 cores, ${files(costs.small)}`, "First limit", "Then", "Then"],
    [asItIs, partitioned]
      .filter(isMeasured(costs))
      .map(({ name, deployment }) => [name, ...limitCells(costs, today, deployment)]),
  );
}

/** What each scale takes. */
export function scalesTable(costs: Costs): string {
  const { postgres, database } = costs;
  const store = postgres ?? costs.sqlite;
  const row = (what: string, show: (load: Load) => string, load = today) => [
    what,
    ...scales.map((scale) => show(scaled(load, scale))),
  ];
  const ofBoth = (what: string, show: (load: Load) => string) =>
    [today, todayLarge].map((load) => row(`${what}, ${files(costs[load.repository])}`, show, load));
  const total = (costOfRun: (load: Load) => number) => (load: Load) =>
    peakRunsPerSecond(load) * costOfRun(load);
  const needed = (deployment: NamedDeployment["deployment"]) => (load: Load) => {
    const found = neededFor(costs, load, deployment);
    return found === null ? "not enough" : `${count(found.nodes)} and ${count(found.partitions)}`;
  };
  const cpuSeconds = (load: Load) => {
    const { process, children } = nodeCpuMsPerRun(costs, store, load);
    return (process + children) / 1000;
  };
  const rows = [
    row("Runs a day", (load) => count(load.runsPerDay)),
    row("Runs a second at the peak", (load) => plain(peakRunsPerSecond(load))),
    row("Runs at work at the peak", (load) => count(runsAtWork(load))),
    row("Events a second at the peak", (load) => count(peakRunsPerSecond(load) * load.eventsPerRun)),
    ...ofBoth("One node with SQLite is enough", (load) =>
      neededFor(costs, load, oneNode) === null ? "no" : "yes",
    ),
    ...ofBoth("Cores busy in nodes", (load) => plain(total(cpuSeconds)(load))),
    row("Of these, for what commands compute themselves", (load) =>
      plain(total((one) => one.commandsPerRun * one.commandCpuSeconds)(load)),
    ),
    ...ofBoth("Written to the disks of nodes", (load) =>
      perSecond(total((one) => nodeDiskBytesPerRun(costs, store, one))(load)),
    ),
    ...ofBoth("Checkouts of runs at work", (load) =>
      bytes(runsAtWork(load) * costs[load.repository].checkoutBytes),
    ),
  ];
  const headings = ["", ...scales.map((scale) => `${count(scale)} ×`)];
  if (postgres === null || database === null) return table(headings, rows);
  const cpuOfDatabase = (load: Load) => databaseCpuMsPerRun(database, load) / 1000;
  return table(headings, [
    ...rows,
    row("Cores busy in PostgreSQL for runs", (load) => plain(total(cpuOfDatabase)(load))),
    row("Transactions a second", (load) =>
      plain(total((one) => costOf(database.transactions, countsOf(one)))(load)),
    ),
    row("Write-ahead log", (load) =>
      perSecond(total((one) => costOf(database.walBytes, countsOf(one)))(load)),
    ),
    row("Stored in all databases", (load) => bytes(storedBytes(postgres, load))),
    ...ofBoth("Nodes and databases, as it is", needed(asItIs.deployment)),
  ]);
}

function perSecond(value: number): string {
  return `${bytes(value)}/s`;
}

/** How late an event is, and how long a run is queued, as a deployment fills. */
export function latenciesTable(costs: Costs): string {
  const shares = [0.5, 0.9, 1] as const;
  return table(
    [`Deployment, ${files(costs.small)}`, ...shares.map((part) => `at ${part * 100} % of its first limit`)],
    deployments.filter(isMeasured(costs)).map(({ name, deployment }) => {
      const [first] = limitsOf(resourcesOf(costs, today, deployment), today);
      return [
        name,
        ...shares.map((part) => {
          if (first === undefined) return "–";
          const load = { ...today, runsPerDay: first.runsPerDay * part };
          const { eventMs, queuedSeconds } = latenciesOf(costs, load, deployment);
          return `event ${millis(eventMs)}, queued ${millis(queuedSeconds * 1000)}`;
        }),
      ];
    }),
  );
}

function isMeasured(costs: Costs): (named: NamedDeployment) => boolean {
  return ({ deployment }) => deployment.database === null || costs.database !== null;
}

/** The first limits, as multiples of the load. */
export function limitCells(costs: Costs, load: Load, deployment: NamedDeployment["deployment"]): string[] {
  return limitsOf(resourcesOf(costs, load, deployment), load)
    .slice(0, LIMITS_SHOWN)
    .map((limit) => `${limit.name}: ${factor(limit.runsPerDay / load.runsPerDay)}`);
}
