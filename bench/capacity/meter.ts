// Reads what a node and its store have used until now. Two readings make a difference, and that a cost.

import { processCpu } from "../../scripts/served-process.ts";
import type { BenchService } from "../bench-service.ts";
import { countedSyncs, writtenBytes } from "./disk-probe.ts";
import type { StoreProbe, StoreSample } from "./store-probe.ts";

export type MeasuredStore = {
  readonly probe: StoreProbe;
  /** Of the service. The embedded store unless told. */
  readonly databaseUrl?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where its nodes count their fsyncs. */
  readonly syncsFile: string;
  /** Where runs have their checkouts; null where that is not known before a node starts. */
  readonly checkouts: string | null;
};

/** Known at any time. */
export type LiveUse = {
  readonly processCpuMs: number;
  readonly childrenCpuMs: number;
  readonly diskBytes: number;
  readonly fsyncs: number;
  readonly databaseCpuMs: number;
  readonly walBytes: number;
};

/** Known once no service is connected. */
export type StoredUse = Pick<StoreSample, "transactions" | "connectionMs" | "databaseFsyncs">;
export type Use = LiveUse & StoredUse;

/** Throws where the system does not tell the CPU of a process. */
export async function readUse(store: MeasuredStore, service: BenchService): Promise<LiveUse> {
  const [{ pid }] = service.workers;
  const cpu = processCpu(pid);
  if (cpu === null) throw new Error("The system does not tell the CPU of a process.");
  const { cpuMs, walBytes } = await store.probe.now();
  return {
    processCpuMs: cpu.ownMs,
    childrenCpuMs: cpu.childrenMs,
    diskBytes: writtenBytes(pid),
    fsyncs: countedSyncs(store.syncsFile),
    databaseCpuMs: cpuMs,
    walBytes,
  };
}

type Numbers = Readonly<Record<string, number>>;

export function minus<Figures extends Numbers>(from: Figures, what: Figures): Figures {
  return mapped(from, (value, name) => value - (what[name] ?? 0));
}

export function times<Figures extends Numbers>(figures: Figures, factor: number): Figures {
  return mapped(figures, (value) => value * factor);
}

function mapped<Figures extends Numbers>(
  figures: Figures,
  change: (value: number, name: string) => number,
): Figures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, change(value, name)]),
  ) as Figures;
}
