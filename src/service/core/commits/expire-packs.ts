// Deletes packs some time after their last use, what an upload left that never ended, and the blobs of both. Every node
// sweeps.

import type { Core } from "../core.ts";

/** An upload that takes longer has ended, or its process has. */
const LONGEST_UPLOAD_MS = 2 * 60 * 60_000;
/** Rows of a transaction, and blobs that are deleted at once. */
const A_STEP = 200;

/** Resolves when nothing is left to delete. Rejects as the store and the blobs do. Safe to race. */
export async function expirePacks(core: Core): Promise<void> {
  const { commits, clock, store } = core;
  if (commits === null) return;
  const now = clock.now();
  const begunBefore = now - LONGEST_UPLOAD_MS;
  const unused = { usedBefore: now - commits.limits.keptMs, begunBefore, now, limit: A_STEP };
  while ((await store.transact((tx) => tx.packs.deleteUnused(unused))) > 0);
  const unfinished = { begunBefore, now, limit: A_STEP };
  while ((await store.transact((tx) => tx.blobs.discardUnfinished(unfinished))) > 0);
  for (;;) {
    const keys = await store.committed.blobs.listDiscarded(A_STEP);
    if (keys.length === 0) return;
    // A blob goes before its row: what is not deleted is found again.
    await commits.blobs.delete(keys);
    await store.transact((tx) => tx.blobs.forget(keys));
  }
}
