// Measures runs of one kind in a service of their own: what each batch of them used, as points of a fit.

import { setTimeout as sleep } from "node:timers/promises";
import { residentMb } from "../../scripts/served-process.ts";
import type { MadeRepository } from "../made-repositories.ts";
import { startModelService } from "../model-service.ts";
import type { RunCounts } from "./costs.ts";
import { occupiedBytes } from "./disk-probe.ts";
import { type FollowedRuns, followRuns } from "./follow-runs.ts";
import { type LiveUse, type MeasuredStore, minus, readUse, type StoredUse, times } from "./meter.ts";
import { countsOfKind, KindScript, type RunKind } from "./run-kinds.ts";
import type { StoreSample } from "./store-probe.ts";

const ARRIVAL_POLL_MS = 50;
const MIB = 1024 * 1024;

/** What a service uses without runs. */
export type Background = {
  /** In a second. */
  readonly live: LiveUse;
  readonly stored: StoredUse;
  /** From its start to its stop. */
  readonly start: StoreSample;
};

/** What one run of these parts used. */
export type UsePoint<Used> = { readonly counts: RunCounts; readonly used: Used };

export type KindFigures = {
  /** One for each batch. */
  readonly live: readonly UsePoint<LiveUse>[];
  /** Of all runs together. */
  readonly stored: UsePoint<StoredUse>;
  /** Of all runs together, and what is stored of them. */
  readonly events: number;
  readonly eventBytes: number;
  /** Of a node once ready, and what each run at work added. */
  readonly baseBytes: number;
  readonly workingRunBytes: number;
  /** Of one run while all wait for the model. 0 where none waited, or the folder is not known. */
  readonly checkoutBytes: number;
};

export type KindOptions = {
  readonly store: MeasuredStore;
  readonly kind: RunKind;
  readonly background: Background;
  /** At once. */
  readonly runs: number;
  /** The small one unless told. */
  readonly repository?: MadeRepository;
};

export async function measureKind(options: KindOptions): Promise<KindFigures> {
  const { store, kind, background, runs } = options;
  const played = new KindScript(kind);
  const life = await beginLife(store);
  const service = await startModelService({
    script: played.script,
    ...(store.databaseUrl === undefined ? {} : { databaseUrl: store.databaseUrl }),
    ...(options.repository === undefined ? {} : { repository: options.repository.path }),
    env: { ...store.env, MAX_RUNNING_RUNS: String(runs), MAX_QUEUED_RUNS: String(runs * 2) },
  });
  const resident = () => (residentMb(service.workers[0].pid) ?? 0) * MIB;
  const baseBytes = resident();
  const batches = [await followRuns(service, Math.floor(runs / 2))];
  played.beginMeasuring();
  const silentSeconds = kind.silentMs / 1000;
  const live: UsePoint<LiveUse>[] = [];
  let checkoutBytes = 0;
  while (live.length < kind.batches) {
    const before = await readUse(store, service);
    const arrived = played.arrivals;
    let isOver = false;
    const following = followRuns(service, runs).finally(() => {
      isOver = true;
    });
    if (kind.silentMs > 0 && store.checkouts !== null && checkoutBytes === 0) {
      while (played.arrivals < arrived + runs && !isOver) await sleep(ARRIVAL_POLL_MS);
      checkoutBytes = (await occupiedBytes(store.checkouts)) / runs;
    }
    const batch = await following;
    const used = minus(await readUse(store, service), before);
    const ownUse = minus(used, times(background.live, batch.wallSeconds));
    live.push({ counts: countsOfKind(kind, silentSeconds), used: times(ownUse, 1 / runs) });
    batches.push(batch);
  }
  const workingRunBytes = Math.max(0, resident() - baseBytes) / runs;
  await service.stop();
  played.check();
  const ended = await life.end(background);
  const sum = (of: (batch: FollowedRuns) => number) => batches.reduce((total, batch) => total + of(batch), 0);
  return {
    live,
    stored: {
      counts: countsOfKind(kind, (silentSeconds * live.length * runs) / sum((batch) => batch.runs)),
      used: times(ended.use, 1 / sum((batch) => batch.runs)),
    },
    events: sum(({ events }) => events),
    eventBytes: ended.eventBytes,
    baseBytes,
    workingRunBytes,
    checkoutBytes,
  };
}

export type Life = Pick<StoreSample, "eventBytes" | "inputBytes" | "recordBytes"> & {
  /** Without what a service uses that has no runs. */
  readonly use: StoredUse;
  readonly seconds: number;
};

/** From before a service's start until after its stop: only then a store's own counters are exact. */
export async function beginLife(
  store: MeasuredStore,
): Promise<{ end(background: Pick<Background, "stored" | "start">): Promise<Life> }> {
  const before = await store.probe.sample();
  const startedAt = performance.now();
  return {
    end: async ({ stored, start }) => {
      const seconds = (performance.now() - startedAt) / 1000;
      const used = minus(await store.probe.sample(), before);
      const { eventBytes, inputBytes, recordBytes } = used;
      const idle = times(stored, seconds);
      return {
        use: minus(minus(storedUseOf(used), storedUseOf(start)), idle),
        eventBytes,
        inputBytes,
        recordBytes: recordBytes - start.recordBytes,
        seconds,
      };
    },
  };
}

function storedUseOf({ transactions, connectionMs, databaseFsyncs }: StoredUse): StoredUse {
  return { transactions, connectionMs, databaseFsyncs };
}
