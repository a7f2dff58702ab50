// The tables of the capacity page, as Markdown: measured costs, assumptions, and what the model makes of both. Pure.

import { type Costs, costOf, type RunCost, type StoreCosts } from "./costs.ts";
import {
  databaseCpuMsPerRun,
  type Load,
  latenciesOf,
  limitsOf,
  neededFor,
  nodeCpuMsPerRun,
  peakRunsPerSecond,
  resourcesOf,
  runsAtWork,
  storedBytes,
} from "./model.ts";
import {
  ASSUMED_ON,
  deployments,
  levers,
  type NamedDeployment,
  oneNode,
  partitioned,
  scaled,
  scales,
  today,
  twentyNodes,
} from "./scenarios.ts";

const LIMITS_SHOWN = 3;

/** What was measured. */
export function costsTable(costs: Costs): string {
  const { sqlite, postgres, database } = costs;
  const row = (what: string, show: (store: StoreCosts) => string) => [
    what,
    show(sqlite),
    postgres === null ? "–" : show(postgres),
  ];
  const ofDatabase = (what: string, cost: RunCost | undefined, show: (value: number) => string) => [
    what,
    "–",
    cost === undefined ? "–" : parts(cost, show),
  ];
  const one = (what: string, value: number | undefined) => [
    what,
    "–",
    value === undefined ? "–" : millis(value),
  ];
  return table(
    ["Cost", "SQLite", "PostgreSQL"],
    [
      row("CPU of the node: run + turn + event", ({ runCpuMs }) => parts(runCpuMs, millis)),
      ofDatabase("CPU of PostgreSQL: run + turn + event", database?.runCpuMs, millis),
      ofDatabase("Transactions: run + turn + event", database?.transactions, plain),
      ofDatabase("Write-ahead log: run + turn + event", database?.walBytes, bytes),
      ofDatabase("Time on a connection: run + turn + event", database?.connectionMs, millis),
      row("CPU of the node, an event to a poll", ({ pollCpuMs }) => millis(pollCpuMs)),
      one("CPU of PostgreSQL, an event to a poll", database?.pollCpuMs),
      row("CPU of the node, an event to a socket", ({ deliveryCpuMs }) => millis(deliveryCpuMs)),
      row("CPU of the node, opening a socket", ({ socketOpenCpuMs }) => millis(socketOpenCpuMs)),
      one("CPU of every other node, an event", database?.signalCpuMs),
      row("Memory of a node, ready", ({ baseBytes }) => bytes(baseBytes)),
      row("Memory of a run at work, at the most", ({ workingRunBytes }) => bytes(workingRunBytes)),
      row("Memory of a waiting poll", ({ pollBytes }) => bytes(pollBytes)),
      row("Memory of a socket", ({ socketBytes }) => bytes(socketBytes)),
      row("Stored of a run for ever", ({ recordBytes }) => bytes(recordBytes)),
      row("Stored of a run until it expires: input + event", ({ inputBytes, eventBytes }) =>
        [bytes(inputBytes), bytes(eventBytes)].join(" + "),
      ),
    ],
  );
}

/** What was not measured. */
export function assumptionsTable(): string {
  const { database, nodeMemoryBytes, runsPerNode, diskBytes } = twentyNodes;
  return table(
    [`Assumption of ${ASSUMED_ON}`, "Value"],
    [
      ["Runs a day, 1 ×", count(today.runsPerDay)],
      ["The busiest second, beside the mean of the day", `${today.peakFactor} ×`],
      ["Turns and events of a run", `${today.turnsPerRun} and ${today.eventsPerRun}`],
      ["How long a run takes", `${today.runSeconds} s`],
      ["Polls and sockets that follow a run", `${today.pollsPerRun} and ${today.socketsPerRun}`],
      ["`RETENTION_DAYS`; days of records on the disk", `${today.retentionDays}; ${today.recordDays}`],
      ["Memory of a node; `MAX_RUNNING_RUNS`", `${bytes(nodeMemoryBytes)}; ${runsPerNode}`],
      ["Disk of a database", bytes(diskBytes)],
      ["Write-ahead log that a PostgreSQL writes and ships", `${bytes(database?.walBytesPerSecond ?? 0)}/s`],
    ],
  );
}

/** Which resource ends first in each deployment, and at which load. */
export function limitsTable(costs: Costs): string {
  return table(
    ["Deployment", "First limit", "Then", "Then"],
    deployments.filter(isMeasured(costs)).map(limitsRow(costs)),
  );
}

/** What each change moves. */
export function leversTable(costs: Costs): string {
  return table(
    ["20 nodes, one PostgreSQL with 16 cores", "First limit", "Then", "Then"],
    [...levers, partitioned].filter(isMeasured(costs)).map(limitsRow(costs)),
  );
}

/** What each scale takes. */
export function scalesTable(costs: Costs): string {
  const headings = ["", ...scales.map((scale) => `${count(scale)} ×`)];
  const loads = scales.map((scale) => scaled(today, scale));
  const row = (what: string, show: (load: Load) => string) => [what, ...loads.map(show)];
  const { postgres, database } = costs;
  const rows = [
    row("Runs a day", (load) => count(load.runsPerDay)),
    row("Runs a second at the peak", (load) => plain(peakRunsPerSecond(load))),
    row("Runs at work at the peak", (load) => count(runsAtWork(load))),
    row("Events a second at the peak", (load) => count(peakRunsPerSecond(load) * load.eventsPerRun)),
    row("One node with SQLite is enough", (load) =>
      neededFor(costs, load, oneNode) === null ? "no" : "yes",
    ),
  ];
  if (postgres === null || database === null) return table(headings, rows);
  const needed = ({ name, deployment }: NamedDeployment) =>
    row(`Nodes and databases, ${name}`, (load) => {
      const found = neededFor(costs, load, deployment);
      return found === null ? "not enough" : `${count(found.nodes)} and ${count(found.partitions)}`;
    });
  const total = (costOfRun: (load: Load) => number) => (load: Load) =>
    peakRunsPerSecond(load) * costOfRun(load);
  return table(headings, [
    ...rows,
    row("Cores busy in nodes", (load) => plain(total((one) => nodeCpuMsPerRun(postgres, one) / 1000)(load))),
    row("Cores busy in PostgreSQL", (load) => {
      const { writes, reads } = databaseCpuMsPerRun(database, load);
      return plain(total(() => (writes + reads) / 1000)(load));
    }),
    row("Write-ahead log", (load) => {
      const run = { turns: load.turnsPerRun, events: load.eventsPerRun };
      return `${bytes(total(() => costOf(database.walBytes, run))(load))}/s`;
    }),
    row("Stored in all databases", (load) =>
      bytes(storedBytes(postgres, load, { events: load.retentionDays })),
    ),
    ...levers.map(needed),
  ]);
}

/** How late an event is, and how long a run is queued, as a deployment fills. */
export function latenciesTable(costs: Costs): string {
  const shares = [0.5, 0.9, 1] as const;
  return table(
    ["Deployment", ...shares.map((share) => `at ${share * 100} % of its first limit`)],
    deployments.filter(isMeasured(costs)).map(({ name, deployment }) => {
      const [first] = limitsOf(resourcesOf(costs, today, deployment), today);
      return [
        name,
        ...shares.map((share) => {
          if (first === undefined) return "–";
          const load = { ...today, runsPerDay: first.runsPerDay * share };
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

function limitsRow(costs: Costs): (named: NamedDeployment) => string[] {
  return ({ name, deployment }) => {
    const limits = limitsOf(resourcesOf(costs, today, deployment), today);
    const cells = limits
      .slice(0, LIMITS_SHOWN)
      .map((limit) => `${limit.name}: ${factor(limit.runsPerDay / today.runsPerDay)}`);
    return [name, ...cells];
  };
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

function parts({ run, turn, event }: RunCost, show: (value: number) => string): string {
  return [run, turn, event].map(show).join(" + ");
}

function factor(value: number): string {
  return `${plain(value)} ×`;
}

function millis(value: number): string {
  if (value < 0.001) return "0 ms";
  if (value >= 1_000) return `${plain(value / 1000)} s`;
  return value >= 0.1 ? `${plain(value)} ms` : `${plain(value * 1000)} µs`;
}

const UNITS = [
  { unit: "PB", size: 1e15 },
  { unit: "TB", size: 1e12 },
  { unit: "GB", size: 1e9 },
  { unit: "MB", size: 1e6 },
  { unit: "KB", size: 1e3 },
] as const;

function bytes(value: number): string {
  const found = UNITS.find(({ size }) => value >= size);
  return found === undefined ? `${plain(value)} B` : `${plain(value / found.size)} ${found.unit}`;
}

/** Two significant digits: the figures are no better. */
function plain(value: number): string {
  if (!Number.isFinite(value)) return "∞";
  return Number(value.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 4 });
}

function count(value: number): string {
  return Math.ceil(value).toLocaleString("en");
}
