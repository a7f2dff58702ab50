// The parts of the benchmark: each measures, and returns its rows of the table. In the order in which they run.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { measureAgent } from "./agent/measure-agent.ts";
import { bigBatches, measureAppends, smallBatches } from "./appends.ts";
import { type ArchiveFigures, EVENTS_A_RUN, JOURNAL, measureArchive, RUNS_A_DAY } from "./archive.ts";
import { costOf, type StoreCosts } from "./capacity/costs.ts";
import { measureCosts } from "./capacity/measure-costs.ts";
import { countsOf, nodeCpuMsPerRun } from "./capacity/model.ts";
import { recordCosts, reportOf } from "./capacity/record.ts";
import { today } from "./capacity/scenarios.ts";
import { measureColdStart } from "./cold-start.ts";
import { type ConcurrentFigures, measureConcurrentRuns, RUNS, STALLED_SECONDS } from "./concurrent-runs.ts";
import { measureEmbedded } from "./embedded.ts";
import { journal } from "./journal/part.ts";
import {
  APART_MS,
  DELTAS,
  type ModelLatency,
  measureBareRelay,
  measureModelLatency,
} from "./model-latency.ts";
import {
  measureFairness,
  measureNodes,
  type NodesFigures,
  OTHERS,
  QUEUED_BY_ONE,
  QUEUED_BY_OTHERS,
  RUNS_A_SECOND,
} from "./nodes.ts";
import { measureDelays, measureInserts, measureThroughput, measureWake, withPgBoss } from "./pg-boss.ts";
import { type ListeningFigures, measurePollers } from "./pollers.ts";
import { onPostgres } from "./postgres-schema.ts";
import {
  measureBareRunCost,
  measurePostgresRunCost,
  measureRunCost,
  type PostgresRunCost,
  type RunCost,
} from "./run-cost.ts";
import { measureBareRuns, measureRuns, type RunFigures } from "./runs.ts";
import { CHECKOUT_FILES, measureSandboxes, SETUP_FILES } from "./sandboxes.ts";
import { LEAD_MS, measureLateness, SCHEDULES, SPREAD_MS } from "./schedules.ts";
import { measureStart } from "./service-start.ts";
import { measureSkipped } from "./skipped.ts";
import { measureSoak, type SoakFigures } from "./soak.ts";
import { measureSockets } from "./sockets.ts";
import { median, quantile } from "./statistics.ts";
import type { Figure, Row } from "./table.ts";
import { measureWatchers, type WatcherFigures } from "./watchers.ts";
import { workspaces } from "./workspaces/part.ts";

export const parts = {
  "cold-start": coldStart,
  skipped,
  embedded,
  size,
  start: serviceStart,
  runs,
  "run-cost": runCost,
  "first-event": firstEvent,
  "model-latency": modelLatency,
  "concurrent-runs": concurrentRuns,
  appends,
  archive,
  journal,
  nodes,
  pollers,
  sockets,
  watchers,
  schedules,
  sandboxes,
  workspaces,
  capacity,
  soak,
  agent,
} satisfies Record<string, (options: PartOptions) => Promise<Row[]>>;

export type PartOptions = {
  /** Whether what was measured is written into a page that shows it. */
  readonly writesPage: boolean;
  /** Whether the part was named: what costs money happens only then. */
  readonly isNamed: boolean;
  /** How long the part "soak" takes on each store. */
  readonly minutes: number;
  /** Which agents play which tasks of the part "agent"; no task: all. */
  readonly agents: readonly string[];
  readonly tasks: readonly string[];
  /** An earlier commit whose command plays them, too. */
  readonly before: string | null;
};

export type PartName = keyof typeof parts;

const OWNERS = 32;
const MAX_FIRST_BYTES = 24_000;
const FEW = { listeners: 100, eventsPerSecond: 100, events: 1_000 };
const WATCHERS = { listeners: 2_000, eventsPerSecond: 2, events: 20 };
const MANY = { listeners: 5_000, eventsPerSecond: 200, events: 2_000 };

async function coldStart(): Promise<Row[]> {
  const { actionMs, bareMs, ratio } = await measureColdStart({ rounds: 40 });
  return [
    {
      what: "Action: process start → exchange request",
      sqlite: { text: `${ms(actionMs)}\n${ratio.toFixed(2)} × bare`, isReached: ratio <= 1.35 },
      postgres: null,
      floor: `${ms(bareMs)} bare script with node:http`,
      best: "190 ms, 4.5 × bare",
      asked: "≤ 1.35 × bare",
    },
  ];
}

async function skipped(): Promise<Row[]> {
  const { actionMs, bareMs, ratio } = await measureSkipped({ rounds: 40 });
  return [
    {
      what: "Action: a comment that asks for nothing, the whole process",
      sqlite: { text: `${ms(actionMs)}\n${ratio.toFixed(2)} × bare`, isReached: ratio <= 1.3 },
      postgres: null,
      floor: `${ms(bareMs)} Node, an empty script`,
      asked: "≤ 1.3 × bare",
    },
  ];
}

async function embedded(): Promise<Row[]> {
  const { plainMs, embeddedMs, withModelMs } = await measureEmbedded({ rounds: 12 });
  const row = (what: string, measuredMs: number): Row => ({
    what,
    sqlite: {
      text: `${ms(measuredMs)}\n${ms(measuredMs - plainMs)} beyond plain`,
      isReached: measuredMs - plainMs <= 400,
    },
    postgres: null,
    floor: `${ms(plainMs)} plain: the same against a served service`,
    asked: "≤ 400 ms beyond plain",
  });
  return [
    row("Action without a server: process start → its run's id on the log", embeddedMs),
    row("the same, with a model", withModelMs),
  ];
}

async function sandboxes(): Promise<Row[]> {
  const { bareMs, bubblewrapMs, warmMs, coldMs, nextMs, ...setups } = await measureSandboxes({ rounds: 12 });
  const { setupMs, packMs, packBytes, cachedMs } = setups;
  const megabytes = (packBytes / 1024 / 1024).toFixed(1);
  const row = (what: string, measuredMs: number): Row => ({
    what,
    sqlite: { text: ms(measuredMs) },
    postgres: null,
    floor: `${ms(bareMs)} sh -c true`,
  });
  return [
    row(`A run's first command, checkout of ${CHECKOUT_FILES} files: in bubblewrap`, bubblewrapMs),
    row("the same in a pod that waited (fake cluster)", warmMs),
    row("the same in a pod that is made for it (fake cluster)", coldMs),
    row("the next command in that pod", nextMs),
    row(`a setup in a pod that makes ${SETUP_FILES} files of 4 KB and waits for nothing`, setupMs),
    row(`what it left, packed: ${megabytes} MB`, packMs),
    row("the same files in the pod of a later run, from the cache", cachedMs),
  ];
}

async function size(): Promise<Row[]> {
  const bytesOf = async (name: string) => (await stat(join(import.meta.dirname, "../dist", name))).size;
  const bytes = (await bytesOf("main.cjs")) + (await bytesOf("step.cjs"));
  const post = await bytesOf("post.cjs");
  return [
    {
      what: "dist/main.cjs and dist/step.cjs",
      sqlite: { text: kb(bytes), isReached: bytes <= 130_000 },
      postgres: null,
      floor: `${kb(post)} dist/post.cjs`,
      best: "650 KB",
      asked: "≤ 130 KB",
    },
  ];
}

async function serviceStart(): Promise<Row[]> {
  const { ours, bare } = await measureStart(7);
  return [
    {
      what: "serve: empty folder → ready",
      sqlite: { text: ms(ours.readyMs), isReached: ours.readyMs <= 250 },
      postgres: null,
      floor: `${ms(bare.readyMs)} bare node:http`,
      best: "3,400 ms",
      asked: "≤ 250 ms",
    },
    {
      what: "serve: resident once ready",
      sqlite: {
        text: mb(ours.residentMb),
        isReached: ours.residentMb !== null && ours.residentMb <= 120,
      },
      postgres: null,
      floor: `${mb(bare.residentMb)} bare node:http`,
      asked: "≤ 120 MB",
    },
  ];
}

async function runs(): Promise<Row[]> {
  const bare = await measureBareRuns();
  const boss = await onPostgres((schema) =>
    withPgBoss(schema, async (queue) => ({
      wake: await measureWake(queue),
      perSecond: await measureThroughput(queue),
    })),
  );
  const sqlite = await measureRuns();
  const postgres = await onPostgres(({ url }) => measureRuns({ databaseUrl: url }));
  const owners = await onPostgres(({ url }) => measureRuns({ databaseUrl: url, jobs: OWNERS }));
  const nodes = await onPostgres(({ url }) => measureRuns({ databaseUrl: url, pairs: 2, jobs: OWNERS }));
  const latency = (askedMs: number) => (figures: RunFigures) => ({
    text: `median ${fine(figures.medianMs)}\np99 ${fine(figures.p99Ms)}`,
    isReached: figures.medianMs <= askedMs,
  });
  const rate = (leastPerSecond: number | null) => (figures: RunFigures) => ({
    text: perSecond(figures.runsPerSecond),
    ...(leastPerSecond === null ? {} : { isReached: figures.runsPerSecond >= leastPerSecond }),
  });
  const queueShare = boss === null ? null : boss.perSecond / 3;
  const wake = boss === null ? "" : `\n${fine(boss.wake.medianMs)} pg-boss, send → handler`;
  const queued = boss === null ? "" : `\n${perSecond(boss.perSecond)} pg-boss, send → complete`;
  return [
    {
      what: "submit → terminal event by long poll, one process",
      sqlite: latency(4)(sqlite),
      postgres: whereThere(postgres, latency(6)),
      floor: `${fine(bare.medianMs)} bare node:http, same requests${wake}`,
      best: "554 ms",
      asked: "≤ 4 ms median, PostgreSQL ≤ 6 ms",
    },
    {
      what: "the same, two API nodes and two workers",
      sqlite: null,
      postgres: whereThere(nodes, latency(postgres?.medianMs ?? 6)),
      floor: "as above",
      best: "554 ms",
      asked: "as one process",
    },
    {
      what: "runs to terminal, 32 clients of one owner, one process",
      sqlite: rate(bare.runsPerSecond / 8)(sqlite),
      postgres: whereThere(postgres, rate(queueShare)),
      floor: `${perSecond(bare.runsPerSecond)} bare node:http, same requests${queued}`,
      best: "50/s",
      asked: "≥ 1/8 of bare, PostgreSQL ≥ 1/3 of pg-boss",
    },
    {
      what: `the same, of ${OWNERS} owners`,
      sqlite: null,
      postgres: whereThere(owners, rate(queueShare)),
      floor: "as above",
      best: "50/s",
      asked: "≥ 1/3 of pg-boss",
    },
    {
      what: `the same, of ${OWNERS} owners, two API nodes and two workers`,
      sqlite: null,
      postgres: whereThere(nodes, rate(owners?.runsPerSecond ?? null)),
      floor: "as above",
      best: "50/s",
      asked: "as one process",
    },
  ];
}

async function nodes(): Promise<Row[]> {
  const measured: [pairs: number, figures: NodesFigures | null][] = [];
  for (const pairs of [1, 2, 4]) {
    measured.push([pairs, await onPostgres((schema) => measureNodes(schema, pairs))]);
  }
  const fairness = await onPostgres(measureFairness);
  const [, alone] = measured[0] ?? [];
  const cpu = ({ nodesCpuMs, databaseCpuMs }: NodesFigures) =>
    `${nodesCpuMs === null ? "CPU not told" : `${nodesCpuMs.toFixed(2)} ms CPU of nodes`}\n${databaseCpuMs.toFixed(2)} ms of the database`;
  return [
    ...measured.map(
      ([pairs, figures]): Row => ({
        what: `a run, at ${RUNS_A_SECOND}/s, ${pairs} API nodes and ${pairs} workers, followed on another node`,
        sqlite: null,
        postgres: whereThere(figures, (one) => ({
          text: `${cpu(one)}\nmedian ${fine(one.medianMs)}\np99 ${fine(one.p99Ms)}`,
        })),
        floor: alone == null ? "" : `${cpu(alone)}, one of each`,
        asked: "",
      }),
    ),
    {
      what: `one account with ${QUEUED_BY_ONE} queued runs, ${OTHERS} with ${QUEUED_BY_OTHERS}: these have ended`,
      sqlite: null,
      postgres: whereThere(fairness, ({ othersMedianS, othersLongestS }) => ({
        text: `median ${othersMedianS.toFixed(1)} s\nlongest ${othersLongestS.toFixed(1)} s`,
      })),
      floor: fairness === null ? "" : `${fairness.allS.toFixed(1)} s until all have`,
      asked: "none waits for the one",
    },
  ];
}

async function runCost(): Promise<Row[]> {
  const bare = await measureBareRunCost();
  const sqlite = await measureRunCost();
  const postgres = await onPostgres(({ url }) => measurePostgresRunCost({ databaseUrl: url }));
  const owners = await onPostgres(({ url }) => measurePostgresRunCost({ databaseUrl: url, jobs: OWNERS }));
  // With one core for the service, an eighth of the bare server's runs a second.
  const askedMs = 8_000 / bare.runsPerSecond;
  const cpu = ({ cpuMs }: RunCost) => (cpuMs === null ? "CPU not told" : `${cpuMs.toFixed(2)} ms CPU`);
  const text = (cost: RunCost) => `${cpu(cost)}\n${perSecond(cost.runsPerSecond)}`;
  const onDatabase = (cost: PostgresRunCost) => ({
    text: `${text(cost)}\n${cost.transactions.toFixed(2)} transactions`,
  });
  return [
    {
      what: "one run, while 32 clients of one owner submit, one process",
      sqlite: { text: text(sqlite), isReached: sqlite.cpuMs !== null && sqlite.cpuMs <= askedMs },
      postgres: whereThere(postgres, onDatabase),
      floor: `${cpu(bare)}\n${perSecond(bare.runsPerSecond)} bare node:http, same requests`,
      asked: `≤ ${askedMs.toFixed(2)} ms CPU embedded`,
    },
    {
      what: `the same, of ${OWNERS} owners`,
      sqlite: null,
      postgres: whereThere(owners, onDatabase),
      floor: "as above",
    },
  ];
}

async function firstEvent(): Promise<Row[]> {
  const boss = await onPostgres((schema) => withPgBoss(schema, measureWake));
  const sqlite = await measurePollers(FEW);
  const postgres = await onPostgres(({ url }) => measurePollers({ ...FEW, databaseUrl: url }));
  const figure = ({ medianMs, p99Ms }: ListeningFigures) => ({
    text: `p50 ${fine(medianMs)}\np99 ${fine(p99Ms)}`,
  });
  return [
    {
      what: `a backend's event → the poll that waits for it, ${FEW.eventsPerSecond} events/s; PostgreSQL: on another node`,
      sqlite: figure(sqlite),
      postgres: whereThere(postgres, figure),
      floor:
        boss === null
          ? "–"
          : `p50 ${fine(boss.medianMs)}, p99 ${fine(boss.p99Ms)} pg-boss, send → handler by NOTIFY`,
    },
  ];
}

async function modelLatency(): Promise<Row[]> {
  const bare = await measureBareRelay();
  const sqlite = await measureModelLatency();
  const postgres = await onPostgres(({ url }) => measureModelLatency(url));
  const text = ({ medianMs, p99Ms }: ModelLatency) => `p50 ${fine(medianMs)}\np99 ${fine(p99Ms)}`;
  const figure = (figures: ModelLatency) => ({ text: text(figures), isReached: figures.medianMs <= 10 });
  return [
    {
      what: `a delta of the model → the poll that waits for it, ${DELTAS} deltas, ${APART_MS} ms apart`,
      sqlite: figure(sqlite),
      postgres: whereThere(postgres, figure),
      floor: `${text(bare)}\nbare node:http relay`,
      asked: "≤ 10 ms median",
    },
  ];
}

async function concurrentRuns(): Promise<Row[]> {
  const sqlite = await measureConcurrentRuns();
  const postgres = await onPostgres(({ url }) => measureConcurrentRuns(url));
  const figure = (figures: ConcurrentFigures) => {
    const { wallMs, aloneMs, completed, failures, longestGapMs, residentMb } = figures;
    const wall = `${seconds(wallMs)}, ${(wallMs / aloneMs).toFixed(2)} × alone`;
    const ended = `${completed} completed${failures.length === 0 ? "" : `, not ${[...new Set(failures)].join(", ")}`}`;
    return {
      text: `${wall}\n${ended}\nsilent ≤ ${seconds(longestGapMs)}\n${mb(residentMb)}`,
      isReached: completed === RUNS && longestGapMs < STALLED_SECONDS * 1000,
    };
  };
  const tools = sqlite.hasShell ? "list, search, read, shell" : "list, search, read (no sandbox)";
  const alone = [sqlite, ...(postgres === null ? [] : [postgres])].map(({ aloneMs }) => seconds(aloneMs));
  return [
    {
      what: `${RUNS} runs with a model at once, one process, 6 turns each: ${tools}`,
      sqlite: figure(sqlite),
      postgres: whereThere(postgres, figure),
      floor: `${alone.join(" and ")} one run alone, 11 s of it silent`,
      asked: `all complete, silent < ${STALLED_SECONDS} s`,
    },
  ];
}

async function appends(): Promise<Row[]> {
  const boss = await onPostgres((schema) => withPgBoss(schema, measureInserts));
  const sqlite = await measureAppends();
  const postgres = await onPostgres(({ url }) => measureAppends(url));
  return [
    {
      what: `events appended, ${smallBatches.runs} runs, ${smallBatches.batch} at a time`,
      sqlite: { text: perSecond(sqlite.small) },
      postgres: whereThere(postgres, ({ small }) => ({ text: perSecond(small) })),
      floor: boss === null ? "–" : `${perSecond(boss.small)} pg-boss, one job at a time`,
    },
    {
      what: `events appended, ${bigBatches.runs} runs, ${bigBatches.batch} at a time`,
      sqlite: { text: perSecond(sqlite.big) },
      postgres: whereThere(postgres, ({ big }) => ({ text: perSecond(big) })),
      floor: boss === null ? "–" : `${perSecond(boss.big)} pg-boss, ${bigBatches.batch} jobs at a time`,
    },
  ];
}

async function archive(): Promise<Row[]> {
  const figures = await onPostgres(measureArchive);
  return [
    ...leaving(figures, { runs: RUNS_A_DAY, of: `${EVENTS_A_RUN} events`, what: "events" }),
    ...leaving(figures === null ? null : { ...figures.journals, msARun: figures.journals.msAJournal }, {
      runs: JOURNAL.runs,
      of: `${JOURNAL.turns} turns`,
      what: "journals",
    }),
  ];
}

function leaving(
  figures: Omit<ArchiveFigures, "journals"> | null,
  { runs, of, what }: { readonly runs: number; readonly of: string; readonly what: string },
): Row[] {
  return [
    {
      what: `${runs} ended runs of ${of} a day: table of ${what} after two days`,
      sqlite: null,
      postgres: whereThere(figures, ({ oneDay, twoDaysLeft }) => ({
        text: `${mb(twoDaysLeft / 1e6)}\n${what} leave at the end of each`,
        isReached: twoDaysLeft <= oneDay * 1.1,
      })),
      floor:
        figures === null
          ? "–"
          : `${mb(figures.twoDays / 1e6)} where they stay, ${mb(figures.oneDay / 1e6)} of one day`,
      asked: "as of one day",
    },
    {
      what: `write-ahead log of a day's ${what} that leave`,
      sqlite: null,
      postgres: whereThere(figures, ({ leftWal, msARun, blobBytes }) => ({
        text: `${mb(leftWal / 1e6)}\n${fine(msARun)} a run\n${mb(blobBytes / 1e6)} in blobs`,
      })),
      floor: figures === null ? "–" : `${mb(figures.appendedWal / 1e6)} as they are appended`,
    },
  ];
}

async function pollers(): Promise<Row[]> {
  const sqlite = await measurePollers(MANY);
  const postgres = await onPostgres(({ url }) => measurePollers({ ...MANY, databaseUrl: url }));
  return [
    {
      what: `${MANY.listeners} waiting polls on as many runs`,
      sqlite: delivered(sqlite),
      postgres: whereThere(postgres, delivered),
      floor: `${MANY.eventsPerSecond} events/s offered`,
      asked: "200 events/s, p99 < 50 ms",
    },
  ];
}

async function sockets(): Promise<Row[]> {
  const sqlite = await measureSockets(MANY);
  const postgres = await onPostgres(({ url }) => measureSockets({ ...MANY, databaseUrl: url }));
  return [
    {
      what: `${MANY.listeners} sockets subscribed to as many runs`,
      sqlite: delivered(sqlite),
      postgres: whereThere(postgres, delivered),
      floor: `${MANY.eventsPerSecond} events/s offered`,
      asked: "200 events/s, p99 < 50 ms",
    },
  ];
}

async function watchers(): Promise<Row[]> {
  const sqlite = await measureWatchers(WATCHERS);
  const postgres = await onPostgres(({ url }) => measureWatchers({ ...WATCHERS, databaseUrl: url }));
  const figure = (figures: WatcherFigures) => ({
    text: [
      `open in ${seconds(figures.openMs)}`,
      `p50 ${fine(figures.medianMs)}`,
      `p99 ${fine(figures.p99Ms)}`,
      `${figures.cpuMicrosecondsPerDelivery?.toFixed(0)} µs CPU a delivery`,
      `${figures.kbPerSocket?.toFixed(0)} KB a socket`,
    ].join("\n"),
  });
  return [
    {
      what: `${WATCHERS.listeners} sockets subscribed to one run; each event goes to all of them`,
      sqlite: figure(sqlite),
      postgres: whereThere(postgres, figure),
      floor: `${WATCHERS.eventsPerSecond} events/s offered`,
    },
  ];
}

async function schedules(): Promise<Row[]> {
  const delayed = { jobs: SCHEDULES, leadMs: LEAD_MS, spreadMs: SPREAD_MS };
  const boss = await onPostgres((schema) => withPgBoss(schema, (queue) => measureDelays(queue, delayed)));
  const sqlite = await measureLateness();
  const postgres = await onPostgres(({ url }) => measureLateness(url));
  const figure = ({ medianMs, p99Ms }: { medianMs: number; p99Ms: number }) => ({
    text: `median ${ms(medianMs)}\np99 ${ms(p99Ms)}`,
    isReached: medianMs < 1_000,
  });
  return [
    {
      what: `${SCHEDULES} schedules due within ${SPREAD_MS / 1000} s: lateness`,
      sqlite: figure(sqlite),
      postgres: whereThere(postgres, figure),
      floor:
        boss === null
          ? "–"
          : `median ${ms(median(boss))}, p99 ${ms(quantile(boss, 0.99))} pg-boss, delayed jobs`,
      asked: "median < 1 s",
    },
  ];
}

/** Prints what its costs say about loads and deployments, too. */
async function capacity({ writesPage }: PartOptions): Promise<Row[]> {
  const costs = await measureCosts(new Date());
  if (writesPage) recordCosts(costs);
  process.stdout.write(`\n${reportOf(costs)}`);
  const run = countsOf(today);
  const figure = (store: StoreCosts) => {
    const { process, children } = nodeCpuMsPerRun(costs, store, { ...today, commandCpuSeconds: 0 });
    return { text: `${ms(process + children)} CPU` };
  };
  const { database } = costs;
  const ofDatabase = (what: string, text: string | null): Row => ({
    what: `the same: ${what}`,
    sqlite: null,
    postgres: text === null ? "no database" : { text },
    floor: "–",
  });
  return [
    {
      what: `a run of ${run.turn} turns, ${run.event} events and ${run.command} empty commands, with its poll: the node`,
      sqlite: figure(costs.sqlite),
      postgres: whereThere(costs.postgres, figure),
      floor: "–",
    },
    ofDatabase("PostgreSQL", database && `${ms(costOf(database.runCpuMs, run))} CPU`),
    ofDatabase("transactions", database && costOf(database.transactions, run).toFixed(0)),
    ofDatabase("write-ahead log", database && kb(costOf(database.walBytes, run))),
  ];
}

/** Takes half an hour: only where it is named. */
async function soak({ isNamed, minutes }: PartOptions): Promise<Row[]> {
  if (!isNamed) return [];
  const sqlite = await measureSoak({ minutes });
  const postgres = await onPostgres(({ url }) => measureSoak({ minutes, databaseUrl: url }));
  const figure = (figures: SoakFigures): Figure => ({
    text: `${mb(figures.earlyMb)} → ${mb(figures.lateMb)}, ${figures.mbPerMinute.toFixed(2)} MB a minute\nheap ${mb(figures.earlyHeapMb)} → ${mb(figures.lateHeapMb)}, ${figures.heapMbPerMinute.toFixed(2)} MB a minute\n${figures.requests} rounds`,
    isReached: figures.heapMbPerMinute < 0.2,
  });
  return [
    {
      what: `resident memory in ${minutes} minutes of a mixed load, minute 6 → last; growth in the last half`,
      sqlite: figure(sqlite),
      postgres: whereThere(postgres, figure),
      floor: "–",
      asked: "heap: < 0.2 MB a minute",
    },
  ];
}

/** Prints a table for each agent, task by task. */
async function agent({ isNamed, agents, tasks, before }: PartOptions): Promise<Row[]> {
  const env = isNamed ? process.env : {};
  const print = (text: string) => process.stdout.write(text);
  const measured = await measureAgent({ agents, tasks, before, env, print });
  const { solved, played, requests, sentBytes, firstBytes } = measured;
  const wire = `${requests} requests, ${kb(sentBytes)} sent`;
  return [
    {
      what: `${played} tasks of an agent: ${solved === null ? "a scripted model" : (env.MODEL ?? "")}`,
      sqlite: { text: solved === null ? wire : `${solved} solved\n${wire}` },
      postgres: null,
      floor: "–",
    },
    {
      what: "the largest first request of an agent",
      sqlite: { text: kb(firstBytes), isReached: firstBytes <= MAX_FIRST_BYTES },
      postgres: null,
      floor: "–",
      asked: "≤ 24 KB",
    },
  ];
}

function delivered(figures: ListeningFigures): Figure {
  const { medianMs, p99Ms, eventsPerSecond, residentMb } = figures;
  return {
    text: `p50 ${fine(medianMs)}\np99 ${fine(p99Ms)}\n${perSecond(eventsPerSecond)}, ${mb(residentMb)}`,
    isReached: p99Ms < 50 && eventsPerSecond > 190,
  };
}

function whereThere<Figures>(figures: Figures | null, show: (figures: Figures) => Figure): Row["postgres"] {
  return figures === null ? "no database" : show(figures);
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

function seconds(valueMs: number): string {
  return `${(valueMs / 1000).toFixed(1)} s`;
}

function fine(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString("en")}/s`;
}

function kb(bytes: number): string {
  return `${Math.round(bytes / 1000)} KB`;
}

function mb(value: number | null): string {
  return value === null ? "memory not told" : `${Math.round(value)} MB`;
}
