// Moves the journals of runs that ended some time ago from rows into blobs, one a run, where they are read as before. Every node sweeps.
// Why: docs/decisions/175-events-of-ended-runs-leave-the-database.md

import type { Core } from "../../core.ts";
import type { EndedJournal } from "../journal-port.ts";
import type { ArchiveSweep } from "./archive-runs.ts";
import { journalBlobKey, writeJournal } from "./journal-archive.ts";

const JOURNALS_A_READ = 100;

type ArchiveParts = Pick<Core, "store" | "clock" | "random">;

/** Returns how many left. Rejects as the store and the blobs do: what has not left is found again. Safe to race. */
export async function archiveJournals(
  core: ArchiveParts,
  { blobs, endedBefore, isStopped }: ArchiveSweep,
): Promise<number> {
  const { store } = core;
  let left = 0;
  let after: EndedJournal | null = null;
  for (;;) {
    const due: readonly EndedJournal[] = await store.committed.journal.listEnded({
      endedBefore,
      after,
      limit: JOURNALS_A_READ,
    });
    for (const ended of due) {
      after = ended;
      if (isStopped()) return left;
      if (await archive(core, { ended, blobs })) left += 1;
    }
    if (due.length < JOURNALS_A_READ) return left;
  }
}

/** False where it stays in rows, or is there no more: another node was faster. */
async function archive(
  { store, clock, random }: ArchiveParts,
  { ended, blobs }: { readonly ended: EndedJournal } & Pick<ArchiveSweep, "blobs">,
): Promise<boolean> {
  const { runId, endedAt } = ended;
  const turns = await store.committed.journal.listTurns(runId);
  const { content, ...written } = await writeJournal(await store.committed.journal.list(runId));
  const now = clock.now();
  const blobKey = journalBlobKey(runId, random.uuid(now));
  await store.transact((tx) => tx.blobs.begin({ keys: [blobKey], now }));
  await blobs.put({ key: blobKey, size: written.bytes, open: () => once(content) });
  // Where this rejects, it may be kept nevertheless. What is not is discarded as unfinished.
  const isKept = await store.transact((tx) =>
    tx.journal.leave({ ...written, runId, turns, endedAt, blobKey, now: clock.now() }),
  );
  if (!isKept) await store.transact((tx) => tx.blobs.discard({ keys: [blobKey], now: clock.now() }));
  return isKept;
}

async function* once(content: Buffer): AsyncGenerator<Buffer, void> {
  yield content;
}
