// What one run costs: with backend `noop`, which has no turns, and with a model of which turns and words are scripted.
// Three kinds of runs tell the cost of a run, of a turn and of an event apart.

import { setTimeout as sleep } from "node:timers/promises";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, type Part, say, wait } from "../../fakes/model-server/turn.ts";
import { cpuMsWithChildren, residentMb } from "../../scripts/served-process.ts";
import { type BenchService, type Job, startBenchService } from "../bench-service.ts";
import { startModelService } from "../model-service.ts";
import { runMany } from "../runs.ts";
import { type Point, type RunCost, solveRunCost } from "./costs.ts";
import type { StoreProbe, StoreSample } from "./store-probe.ts";

const DELTA_MS = 40;
/** At once: what a small node executes, so that writes are shared by few. */
const RUNS = 16;
const WARM_UP_RUNS = 6;
const NOOP_WARM_UP_MS = 1_000;
const NOOP_MS = 3_000;
const MIB = 1024 * 1024;

type Kind = { readonly turns: number; readonly deltasPerTurn: number };
const FEW: Kind = { turns: 1, deltasPerTurn: 10 };
const MORE_TURNS: Kind = { turns: 5, deltasPerTurn: 10 };
const MORE_EVENTS: Kind = { turns: 5, deltasPerTurn: 40 };

export type RunCosts = {
  readonly nodeCpuMs: RunCost;
  readonly databaseCpuMs: RunCost;
  readonly transactions: RunCost;
  readonly walBytes: RunCost;
  readonly connectionMs: RunCost;
  readonly recordBytes: number;
  readonly inputBytes: number;
  readonly eventBytes: number;
  readonly baseBytes: number;
  readonly workingRunBytes: number;
};

export type MeasuredStore = {
  readonly probe: StoreProbe;
  /** Of the service. The embedded store unless told. */
  readonly databaseUrl?: string;
  readonly env: Readonly<Record<string, string>>;
};

export async function measureRunCosts(store: MeasuredStore): Promise<RunCosts> {
  const idle = await measureIdle(store);
  const noop = await measureNoop(store, idle);
  const few = await measureKind(store, FEW, idle);
  const moreTurns = await measureKind(store, MORE_TURNS, idle);
  const moreEvents = await measureKind(store, MORE_EVENTS, idle);
  const solve = (costOf: (figures: KindFigures) => number) => {
    const point = (figures: KindFigures): Point => ({ ...figures, cost: costOf(figures) });
    return solveRunCost([few, moreTurns, moreEvents].map(point));
  };
  return {
    nodeCpuMs: solve(({ nodeCpuMs }) => nodeCpuMs),
    databaseCpuMs: solve(({ databaseCpuMs }) => databaseCpuMs),
    transactions: solve(({ transactions }) => transactions),
    walBytes: solve(({ walBytes }) => walBytes),
    connectionMs: solve(({ connectionMs }) => connectionMs),
    recordBytes: noop.recordBytes,
    inputBytes: noop.inputBytes,
    eventBytes: moreEvents.eventBytes,
    baseBytes: few.baseBytes,
    workingRunBytes: Math.max(0, moreEvents.residentBytes - few.baseBytes) / RUNS,
  };
}

type KindFigures = Omit<StoreSample, "inputBytes" | "recordBytes"> & {
  readonly turns: number;
  readonly events: number;
  readonly nodeCpuMs: number;
  readonly databaseCpuMs: number;
  readonly walBytes: number;
  readonly baseBytes: number;
  readonly residentBytes: number;
};

/** What a service does that starts and stops: the tables are made by the first one. */
async function measureIdle(store: MeasuredStore): Promise<StoreSample> {
  await (await startBenchService(store)).stop();
  const before = await store.probe.sample();
  await (await startBenchService(store)).stop();
  return difference(before, await store.probe.sample());
}

/** Many runs: what is stored of each is far less than a page. */
async function measureNoop(
  store: MeasuredStore,
  idle: StoreSample,
): Promise<Pick<StoreSample, "inputBytes" | "recordBytes">> {
  const before = await store.probe.sample();
  const service = await startBenchService(store);
  const warmUp = await runMany(service.jobs, NOOP_WARM_UP_MS);
  const main = await runMany(service.jobs, NOOP_MS);
  await service.stop();
  const used = difference(before, await store.probe.sample());
  const runs = warmUp.runs + main.runs;
  return {
    inputBytes: used.inputBytes / runs,
    recordBytes: (used.recordBytes - idle.recordBytes) / runs,
  };
}

async function measureKind(store: MeasuredStore, kind: Kind, idle: StoreSample): Promise<KindFigures> {
  const before = await store.probe.sample();
  const service = await startModelService({
    script: everyTime((request) => turnOf(kind, request)),
    ...(store.databaseUrl === undefined ? {} : { databaseUrl: store.databaseUrl }),
    env: { ...store.env, MAX_RUNNING_RUNS: String(RUNS), MAX_QUEUED_RUNS: String(RUNS * 2) },
  });
  const [{ pid }] = service.workers;
  const baseBytes = bytesOf(pid);
  const warmUp = await followRuns(service, { from: 0, runs: WARM_UP_RUNS });
  const [node, database] = [cpuOf(pid), await store.probe.now()];
  const main = await followRuns(service, { from: WARM_UP_RUNS, runs: RUNS });
  const [nodeAfter, databaseAfter] = [cpuOf(pid), await store.probe.now()];
  const residentBytes = bytesOf(pid);
  await service.stop();
  const used = difference(before, await store.probe.sample());
  const runs = WARM_UP_RUNS + RUNS;
  return {
    turns: kind.turns,
    events: main / RUNS,
    nodeCpuMs: (nodeAfter - node) / RUNS,
    databaseCpuMs: (databaseAfter.cpuMs - database.cpuMs) / RUNS,
    walBytes: (databaseAfter.walBytes - database.walBytes) / RUNS,
    transactions: (used.transactions - idle.transactions) / runs,
    connectionMs: (used.connectionMs - idle.connectionMs) / runs,
    eventBytes: used.eventBytes / (warmUp + main),
    baseBytes,
    residentBytes,
  };
}

function difference(before: StoreSample, after: StoreSample): StoreSample {
  return {
    transactions: after.transactions - before.transactions,
    connectionMs: after.connectionMs - before.connectionMs,
    inputBytes: after.inputBytes - before.inputBytes,
    eventBytes: after.eventBytes - before.eventBytes,
    recordBytes: after.recordBytes - before.recordBytes,
  };
}

/** Words that come as a model's do, then two calls of tools; in the last turn only words. */
function turnOf({ turns, deltasPerTurn }: Kind, { assistantTurns }: ModelRequest): Part[] {
  const words = Array.from({ length: deltasPerTurn }, (_, index) => [
    wait(sleep(DELTA_MS * (index + 1))),
    say(`word ${index} `),
  ]).flat();
  if (assistantTurns >= turns - 1) return words;
  const file = `src/module-${assistantTurns}.js`;
  return [...words, call("read_file", { path: file }), call("search", { pattern: `value${assistantTurns}` })];
}

/** Submits runs at once and reads each to its end with one poll. Returns how many events they had together. */
async function followRuns(service: BenchService, batch: { from: number; runs: number }): Promise<number> {
  const [job] = service.jobs;
  const numbers = Array.from({ length: batch.runs }, (_, index) => batch.from + index);
  const events = await Promise.all(numbers.map((number) => followRun(job, number)));
  return events.reduce((sum, count) => sum + count, 0);
}

async function followRun({ client, agentId }: Job, number: number): Promise<number> {
  const submitted = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: `Run ${number}` });
  if (submitted.status !== 202) throw new Error(`The run was refused: ${submitted.body}`);
  const { run_id: runId } = JSON.parse(submitted.body);
  for (let after = 0; ; ) {
    const { status, body } = await client.send("GET", `/v1/ci/runs/${runId}?wait=30&after=${after}`);
    if (status !== 200) throw new Error(`The poll was answered ${status}: ${body}`);
    const page = JSON.parse(body);
    after = page.next;
    if (page.done !== true) continue;
    if (page.run.status !== "completed") throw new Error(`The run ended as ${JSON.stringify(page.run)}`);
    return after;
  }
}

function cpuOf(pid: number): number {
  const ms = cpuMsWithChildren(pid);
  if (ms === null) throw new Error("The system does not tell the CPU of a process.");
  return ms;
}

function bytesOf(pid: number): number {
  return (residentMb(pid) ?? 0) * MIB;
}
