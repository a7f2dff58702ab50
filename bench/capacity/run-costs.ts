// What one run costs on a store: measured with kinds of runs of which each has much of another part, and with backend `noop`,
// whose runs have no repository and no turns.

import { setTimeout as sleep } from "node:timers/promises";
import { startBenchService } from "../bench-service.ts";
import type { MadeRepository } from "../made-repositories.ts";
import { runMany } from "../runs.ts";
import {
  costOf,
  type RepositoryCost,
  type RepositoryCosts,
  type RunCost,
  repositoryParts,
  runParts,
} from "./costs.ts";
import { fitParts } from "./fit.ts";
import { followRuns } from "./follow-runs.ts";
import {
  type Background,
  beginLife,
  type KindFigures,
  type Life,
  measureKind,
  type UsePoint,
} from "./measure-kind.ts";
import {
  type LiveUse,
  type MeasuredStore,
  minus,
  readUse,
  type StoredUse,
  times,
  type Use,
} from "./meter.ts";
import { largeKinds, smallKinds } from "./run-kinds.ts";

/** At once: what a small node executes, so that writes are shared by few. */
const RUNS = 8;
/** As many checkouts of the large repository as a machine with few cores makes at a time. */
const LARGE_RUNS = 2;
const NOOP_WARM_UP_MS = 1_000;
const NOOP_MS = 3_000;
const IDLE_MS = 6_000;

export type RunCosts = {
  readonly fits: Readonly<Record<keyof Use, RunCost>>;
  readonly background: Background;
  readonly eventBytes: number;
  readonly inputBytes: number;
  readonly recordBytes: number;
  readonly baseBytes: number;
  readonly workingRunBytes: number;
  readonly checkoutBytes: number;
};

/** On the small repository. */
export async function measureRunCosts(store: MeasuredStore): Promise<RunCosts> {
  const background = await measureBackground(store);
  const noop = await measureNoop(store, background);
  const kinds: KindFigures[] = [];
  for (const kind of smallKinds) kinds.push(await measureKind({ store, kind, background, runs: RUNS }));
  const live = [noop.live, ...kinds.flatMap((kind) => kind.live)];
  const stored = [noop.stored, ...kinds.map((kind) => kind.stored)];
  const sum = (of: (kind: KindFigures) => number) => kinds.reduce((total, kind) => total + of(kind), 0);
  const most = (of: (kind: KindFigures) => number) => Math.max(...kinds.map(of));
  return {
    fits: {
      processCpuMs: runCost(live, ({ processCpuMs }) => processCpuMs),
      childrenCpuMs: runCost(live, ({ childrenCpuMs }) => childrenCpuMs),
      diskBytes: runCost(live, ({ diskBytes }) => diskBytes),
      fsyncs: runCost(live, ({ fsyncs }) => fsyncs),
      databaseCpuMs: runCost(live, ({ databaseCpuMs }) => databaseCpuMs),
      walBytes: runCost(live, ({ walBytes }) => walBytes),
      transactions: runCost(stored, ({ transactions }) => transactions),
      connectionMs: runCost(stored, ({ connectionMs }) => connectionMs),
      databaseFsyncs: runCost(stored, ({ databaseFsyncs }) => databaseFsyncs),
    },
    background,
    eventBytes: sum(({ eventBytes }) => eventBytes) / sum(({ events }) => events),
    inputBytes: noop.inputBytes,
    recordBytes: noop.recordBytes,
    baseBytes: most(({ baseBytes }) => baseBytes),
    workingRunBytes: most(({ workingRunBytes }) => workingRunBytes),
    checkoutBytes: most(({ checkoutBytes }) => checkoutBytes),
  };
}

function runCost<Used>(points: readonly UsePoint<Used>[], costOf: (used: Used) => number): RunCost {
  return fitParts({
    parts: runParts,
    points: points.map(({ counts, used }) => ({ counts, cost: costOf(used) })),
  });
}

/** What differs on another repository, beside the costs that were measured on the small one. */
export async function measureRepositoryCosts(
  store: MeasuredStore,
  repository: MadeRepository,
  { fits, background }: RunCosts,
): Promise<RepositoryCosts> {
  const kinds: KindFigures[] = [];
  for (const kind of largeKinds)
    kinds.push(await measureKind({ store, kind, background, runs: LARGE_RUNS, repository }));
  const points = kinds.flatMap((kind) => kind.live);
  const fitRest = (name: keyof LiveUse): RepositoryCost =>
    fitParts({
      parts: repositoryParts,
      points: points.map(({ counts, used }) => ({ counts, cost: used[name] })),
      known: points.map(({ counts }) => costOf(fits[name], { ...counts, ...withoutRepository })),
    });
  return {
    files: repository.files,
    checkoutBytes: Math.max(...kinds.map(({ checkoutBytes }) => checkoutBytes)),
    processCpuMs: fitRest("processCpuMs"),
    childrenCpuMs: fitRest("childrenCpuMs"),
    diskBytes: fitRest("diskBytes"),
    workingRunBytes: Math.max(...kinds.map(({ workingRunBytes }) => workingRunBytes)),
  };
}

const withoutRepository = { checkout: 0, search: 0, write: 0, command: 0 };
const noStoredUse: StoredUse = { transactions: 0, connectionMs: 0, databaseFsyncs: 0 };

/** What a service does without runs. */
async function measureBackground(store: MeasuredStore): Promise<Background> {
  // The tables are made by the first one.
  await (await startBenchService(store)).stop();
  const before = await store.probe.sample();
  await (await startBenchService(store)).stop();
  const start = minus(await store.probe.sample(), before);
  const life = await beginLife(store);
  const service = await startBenchService(store);
  const used = await readUse(store, service);
  await sleep(IDLE_MS);
  const live = times(minus(await readUse(store, service), used), 1_000 / IDLE_MS);
  await service.stop();
  const { use, seconds } = await life.end({ stored: noStoredUse, start });
  return { live, stored: times(use, 1 / seconds), start };
}

type Noop = Pick<Life, "inputBytes" | "recordBytes"> & {
  readonly live: UsePoint<LiveUse>;
  readonly stored: UsePoint<StoredUse>;
};

/** Many runs: what is stored of each is far less than a page. */
async function measureNoop(store: MeasuredStore, background: Background): Promise<Noop> {
  const life = await beginLife(store);
  const service = await startBenchService(store);
  const one = await followRuns(service, 1);
  const warmUp = await runMany(service.jobs, NOOP_WARM_UP_MS);
  const before = await readUse(store, service);
  const main = await runMany(service.jobs, NOOP_MS);
  const used = minus(await readUse(store, service), before);
  await service.stop();
  const ended = await life.end(background);
  const runs = one.runs + warmUp.runs + main.runs;
  const counts = { ...withoutRepository, run: 1, turn: 0, event: 0, second: 0 };
  const ownUse = minus(used, times(background.live, main.runs / main.runsPerSecond));
  return {
    live: { counts, used: times(ownUse, 1 / main.runs) },
    stored: { counts, used: times(ended.use, 1 / runs) },
    inputBytes: ended.inputBytes / runs,
    recordBytes: ended.recordBytes / runs,
  };
}
