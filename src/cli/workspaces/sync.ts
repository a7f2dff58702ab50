// Carries out what a pull or a push has planned, and keeps the record of how folder and copy have met: also where it ends
// half way, so that the next one goes on from there.

import { type FileStates, isSameFile, type LocalFileState } from "./file-state.ts";
import { pathFault } from "./folder-path.ts";
import type { LocalFolder } from "./local-folder.ts";
import type { RemoteCopy } from "./remote-copy.ts";
import { type FileStep, planPull, planPush, type SyncConflict, type SyncPlan } from "./sync-plan.ts";
import { type SyncPlace, type SyncRecord, writeRecord } from "./sync-record.ts";

/** Files that travel at the same time. */
const LANES = 8;

export type SyncOptions = {
  readonly folder: LocalFolder;
  readonly copy: RemoteCopy;
  readonly place: SyncPlace;
  /** Null: they have never met. */
  readonly record: SyncRecord | null;
  /** The file that keeps the record. Left out: that of \`workspaces pull\` and \`push\`. */
  readonly recordFile?: string;
};

/** Decides what a file becomes that has changed on both sides. Null: nothing travels then. */
type Take = { readonly take: "local" | "remote" | null };

export type SyncResult = {
  /** In the order of paths. */
  readonly changed: readonly { readonly path: string; readonly action: "added" | "replaced" | "removed" }[];
  /** Paths that have changed on the other side alone, and stay. */
  readonly left: readonly string[];
  readonly conflicts: readonly SyncConflict[];
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
};

/** A pull that has not begun. */
export type PreparedPull = {
  /** None where there is a conflict. */
  readonly steps: readonly FileStep[];
  readonly conflicts: readonly SyncConflict[];
  /** All steps, or none where there is a conflict. */
  carryOut(): Promise<SyncResult>;
};

/** What a pull would do. Changes nothing. */
export async function preparePull(options: SyncOptions & Take): Promise<PreparedPull> {
  const { folder, copy, take } = options;
  const sides = await readSides(options);
  const plan = planPull(sides, take);
  return {
    steps: plan.steps,
    conflicts: plan.conflicts,
    carryOut: () =>
      carryOut(options, { ...sides, plan }, async ({ path, from, to }) => {
        if (to === null && from !== null) await folder.remove(path, from);
        if (to !== null) await folder.write(path, { from, to, bytes: await copy.open(path) });
      }),
  };
}

/** Brings the copy's changes to the folder: all of them, or none where there is a conflict. */
export async function pull(options: SyncOptions & Take): Promise<SyncResult> {
  return await (await preparePull(options)).carryOut();
}

/** Brings the folder's changes to the copy: all of them, or none where there is a conflict. */
export async function push(options: SyncOptions & Partial<Take>): Promise<SyncResult> {
  const { folder, copy, take = null } = options;
  const sides = await readSides(options);
  const plan = planPush(sides, take);
  return await carryOut(options, { ...sides, plan }, async ({ path, from, to }) => {
    const etag = from === null ? null : (sides.remote.get(path)?.etag ?? null);
    if (to !== null) await copy.put(path, { mode: to.mode, contents: await folder.contents(path), etag });
    else if (etag !== null) await copy.remove(path, etag);
  });
}

type Read = {
  readonly base: FileStates;
  readonly local: FileStates;
  readonly remote: ReadonlyMap<string, LocalFileState & { readonly etag: string }>;
  readonly skipped: SyncResult["skipped"];
};

async function readSides({ folder, copy, record }: SyncOptions): Promise<Read> {
  const [here, there] = await Promise.all([folder.scan(), copy.list()]);
  const skipped = [...here.skipped, ...there.skipped];
  const remote = new Map<string, LocalFileState & { readonly etag: string }>();
  for (const [path, file] of there.files) {
    if (folder.isExcluded(path)) continue;
    const fault = pathFault(path, process.platform);
    if (fault === null) remote.set(path, file);
    else skipped.push({ path, why: fault });
  }
  return { base: record?.base ?? new Map(), local: here.files, remote, skipped };
}

async function carryOut(
  { folder, place, recordFile }: SyncOptions,
  { base, plan, skipped }: Read & { readonly plan: SyncPlan },
  take: (step: FileStep) => Promise<void>,
): Promise<SyncResult> {
  const { steps, left, conflicts } = plan;
  if (conflicts.length > 0) return { changed: [], left, conflicts, skipped };
  const done = new Set<string>();
  try {
    const removals = steps.filter(({ to }) => to === null);
    const others = steps.filter(({ to }) => to !== null);
    // A file may take the place of a folder, and a folder that of a file.
    for (const part of [removals, others]) {
      await eachInLanes(part, async (step) => {
        await take(step);
        done.add(step.path);
      });
    }
  } finally {
    await writeRecord(folder, { place, base: metSoFar({ base, plan, done }) }, recordFile);
  }
  const changed = steps.map(({ path, from, to }) => {
    const action = to === null ? "removed" : from === null ? "added" : "replaced";
    return { path, action } as const;
  });
  changed.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { changed, left, conflicts, skipped };
}

/** A step that was not taken leaves its path as it was. */
function metSoFar({
  base,
  plan,
  done,
}: {
  readonly base: FileStates;
  readonly plan: SyncPlan;
  readonly done: ReadonlySet<string>;
}): FileStates {
  const met = new Map(plan.met);
  for (const { path, to } of plan.steps) {
    if (done.has(path)) continue;
    const was = base.get(path);
    if (was !== undefined) met.set(path, was);
    else if (isSameFile(met.get(path) ?? null, to)) met.delete(path);
  }
  return met;
}

/** Rejects with the first failure, once what is under way has ended; starts nothing after it. */
async function eachInLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const left = items.values();
  const lane = async () => {
    for (const item of left) {
      if (failures.length > 0) return;
      await work(item).catch((cause: unknown) => void failures.push(cause));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (failures.length > 0) throw failures[0];
}
