// npm run bench [part …]: the figures of the design that apply so far, each beside what it is compared to.
// Ratios count: a machine's noise is in both sides.

import { buildAll, builtBytes } from "../scripts/build.ts";
import { measureColdStart } from "./cold-start.ts";
import { measurePollers } from "./pollers.ts";
import { measureBareRuns, measureRuns } from "./runs.ts";
import { measureLateness } from "./schedules.ts";
import { measureStart } from "./service-start.ts";
import { measureSockets } from "./sockets.ts";
import { type Row, renderTable } from "./table.ts";

const parts = {
  "cold-start": coldStart,
  size,
  start: serviceStart,
  runs,
  pollers,
  sockets,
  schedules,
} satisfies Record<string, () => Promise<Row[]>>;

type PartName = keyof typeof parts;

async function coldStart(): Promise<Row[]> {
  const { actionMs, bareMs, ratio } = await measureColdStart({ rounds: 40 });
  return [
    {
      what: "Action: process start → exchange request",
      ours: `${ms(actionMs)} (${ratio.toFixed(2)} × bare)`,
      beside: `${ms(bareMs)} bare node:http script`,
      best: "190 ms, 4.5 × bare",
      asked: "≤ 1.6 × bare",
      isReached: ratio <= 1.6,
    },
  ];
}

async function size(): Promise<Row[]> {
  const bytes = await builtBytes("dist/main.cjs");
  const post = await builtBytes("dist/post.cjs");
  return [
    {
      what: "dist/main.cjs",
      ours: kb(bytes),
      beside: `${kb(post)} dist/post.cjs`,
      best: "650 KB",
      asked: "≤ 500 KB",
      isReached: bytes <= 500_000,
    },
  ];
}

async function serviceStart(): Promise<Row[]> {
  const { ours, bare } = await measureStart(7);
  return [
    {
      what: "serve: empty folder → ready",
      ours: ms(ours.readyMs),
      beside: `${ms(bare.readyMs)} bare node:http server`,
      best: "3,400 ms",
      asked: "≤ 400 ms",
      isReached: ours.readyMs <= 400,
    },
    {
      what: "serve: resident once ready",
      ours: mb(ours.residentMb),
      beside: `${mb(bare.residentMb)} bare node:http server`,
      best: "–",
      asked: "≤ 120 MB",
      isReached: ours.residentMb !== null && ours.residentMb <= 120,
    },
  ];
}

async function runs(): Promise<Row[]> {
  const bare = await measureBareRuns();
  const ours = await measureRuns();
  return [
    {
      what: "submit → terminal event by long poll, backend noop",
      ours: `${ours.latencyMs.toFixed(1)} ms median`,
      beside: `${bare.latencyMs.toFixed(1)} ms bare node:http, same requests`,
      best: "554 ms",
      asked: "≤ 20 ms median",
      isReached: ours.latencyMs <= 20,
    },
    {
      what: "runs to terminal, 32 clients, SQLite, backend noop",
      ours: `${Math.round(ours.runsPerSecond)}/s`,
      beside: `${Math.round(bare.runsPerSecond)}/s bare node:http, same requests`,
      best: "50/s",
      asked: "≥ 500/s",
      isReached: ours.runsPerSecond >= 500,
    },
  ];
}

async function pollers(): Promise<Row[]> {
  const figures = await measurePollers();
  return [
    {
      what: `${figures.waiting} waiting polls on as many runs`,
      ours: `p50 ${figures.medianMs.toFixed(1)} ms, p99 ${figures.p99Ms.toFixed(1)} ms, ${mb(figures.residentMb)}`,
      beside: `${Math.round(figures.eventsPerSecond)} events/s among them`,
      best: "–",
      asked: "200 events/s, p99 < 50 ms",
      isReached: figures.p99Ms < 50 && figures.eventsPerSecond > 190,
    },
  ];
}

async function sockets(): Promise<Row[]> {
  const figures = await measureSockets();
  return [
    {
      what: `${figures.subscribed} sockets subscribed to as many runs`,
      ours: `p50 ${figures.medianMs.toFixed(1)} ms, p99 ${figures.p99Ms.toFixed(1)} ms, ${mb(figures.residentMb)}`,
      beside: `${Math.round(figures.eventsPerSecond)} events/s among them`,
      best: "–",
      asked: "p99 < 50 ms",
      isReached: figures.p99Ms < 50,
    },
  ];
}

async function schedules(): Promise<Row[]> {
  const figures = await measureLateness();
  return [
    {
      what: `${figures.schedules} schedules due within 5 s: lateness`,
      ours: `median ${figures.medianMs.toFixed(0)} ms, p99 ${figures.p99Ms.toFixed(0)} ms`,
      beside: "–",
      best: "–",
      asked: "median < 1 s",
      isReached: figures.medianMs < 1_000,
    },
  ];
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

function kb(bytes: number): string {
  return `${Math.round(bytes / 1000)} KB`;
}

function mb(value: number | null): string {
  return value === null ? "not told by this system" : `${Math.round(value)} MB`;
}

const isPart = (name: string): name is PartName => name in parts;
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !isPart(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no part ${unknown.join(", ")}. Parts: ${Object.keys(parts).join(", ")}.\n`);
  process.exitCode = 2;
} else {
  await buildAll();
  const rows: Row[] = [];
  for (const name of asked.length === 0 ? Object.keys(parts) : asked) {
    if (!isPart(name)) continue;
    process.stderr.write(`measuring ${name} …\n`);
    rows.push(...(await parts[name]()));
  }
  process.stdout.write(`\n${renderTable(rows)}`);
}
