// Moves the events of runs that ended some time ago from rows into blobs, one a run, where they are read as before. Every node sweeps.
// Why: docs/decisions/175-events-of-ended-runs-leave-the-database.md

import type { BlobStore } from "../../blobs/blob-store.ts";
import type { Core } from "../../core.ts";
import type { StoredEvent } from "../run-record.ts";
import type { DueRun } from "./archive-port.ts";
import { writeArchive } from "./event-archive.ts";

const RUNS_A_READ = 100;
const EVENTS_A_READ = 500;
/** A step is one transaction: small, so that others do not wait long for it. */
const ROWS_A_STEP = 1_000;

type ArchiveParts = Pick<Core, "store" | "clock" | "random" | "log">;

export type ArchiveSweep = {
  /** Where they go. */
  readonly blobs: BlobStore;
  /** Runs that ended before this. */
  readonly endedBefore: number;
  readonly isStopped: () => boolean;
};

/** Returns how many runs left. Rejects as the store and the blobs do: what has not left is found again. Safe to race. */
export async function archiveRuns(
  core: ArchiveParts,
  { blobs, endedBefore, isStopped }: ArchiveSweep,
): Promise<number> {
  const { store } = core;
  let left = 0;
  let after: DueRun | null = null;
  for (;;) {
    const due: readonly DueRun[] = await store.committed.runArchives.listDue({
      endedBefore,
      after,
      limit: RUNS_A_READ,
    });
    for (const run of due) {
      after = run;
      if (isStopped()) return left;
      if (!run.isArchived && !(await archive(core, { run, blobs }))) continue;
      const step = { runId: run.id, limit: ROWS_A_STEP };
      while (await store.transact((tx) => tx.runArchives.deleteRows(step)));
      left += 1;
    }
    if (due.length < RUNS_A_READ) return left;
  }
}

/** False where the events stay rows: another node was faster, or some are missing. */
async function archive(
  core: ArchiveParts,
  { run, blobs }: { readonly run: DueRun; readonly blobs: BlobStore },
): Promise<boolean> {
  const { store, clock, random, log } = core;
  const { id: runId, lastSeq } = run;
  const { content, ...written } = await writeArchive(pagesOf(core, runId));
  if (written.lastSeq !== lastSeq) {
    log.warn({ run_id: runId, events: written.lastSeq, expected: lastSeq }, "events of a run are missing");
    return false;
  }
  const now = clock.now();
  const blobKey = `runs/${runId}/${random.uuid(now)}`;
  await store.transact((tx) => tx.blobs.begin({ keys: [blobKey], now }));
  await blobs.put({ key: blobKey, size: written.bytes, open: () => each(content) });
  // Where this rejects, it may be kept nevertheless. What is not is discarded as unfinished.
  const isKept = await store.transact((tx) =>
    tx.runArchives.keep({ ...written, runId, blobKey, now: clock.now() }),
  );
  if (!isKept) await store.transact((tx) => tx.blobs.discard({ keys: [blobKey], now: clock.now() }));
  return isKept;
}

async function* pagesOf(
  { store }: ArchiveParts,
  runId: string,
): AsyncGenerator<readonly StoredEvent[], void> {
  for (let after = 0; ; ) {
    const page = await store.committed.events.list({ runId, after, limit: EVENTS_A_READ });
    yield page;
    if (page.length < EVENTS_A_READ) return;
    after += page.length;
  }
}

async function* each(content: readonly Buffer[]): AsyncGenerator<Buffer, void> {
  yield* content;
}
