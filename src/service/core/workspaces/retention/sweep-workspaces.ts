// Deletes things that nothing needs: old revisions and old trash, then objects that nothing names any more. Every node sweeps.
// Why: docs/decisions/083-what-workspaces-keep.md

import type { Core } from "../../core.ts";
import { keepingOf } from "../reach-workspace.ts";
import { removeRevision } from "../revisions/delete-revision.ts";
import { collectGarbage, GRACE_MS } from "./collect-garbage.ts";

/** Rows of a step, each of them short. */
const A_STEP = 500;
/** The interval at which the objects of a workspace are swept. */
const SWEEP_EVERY_MS = 24 * 60 * 60_000;

/** Resolves when nothing is left to delete, or `signal` aborts. Safe to race. */
export async function sweepWorkspaces(core: Core, signal: AbortSignal): Promise<void> {
  const { keptMs } = keepingOf(core).limits;
  if (keptMs > 0) await sweepOld(core, { before: core.clock.now() - keptMs, signal });
  while (!signal.aborted) {
    const now = core.clock.now();
    const sweptBefore = now - SWEEP_EVERY_MS;
    const ids = await core.store.committed.retention.listUnswept({ sweptBefore, limit: 1 });
    const [workspaceId] = ids;
    if (workspaceId === undefined) return;
    const isOurs = await core.store.transact((tx) =>
      tx.retention.claimSweep({ workspaceId, sweptBefore, now }),
    );
    if (!isOurs) continue;
    try {
      const deleted = await collectGarbage(core, { workspaceId, touchedBefore: now - GRACE_MS, signal });
      if (deleted > 0) core.log.info({ workspaceId, deleted }, "deleted objects that nothing names");
    } catch (cause) {
      // It is tried again when it is due again; the others are not kept from their turn.
      core.log.warn({ err: cause, workspaceId }, "the objects of a workspace could not be swept");
    }
  }
}

async function sweepOld(
  core: Core,
  { before, signal }: { before: number; signal: AbortSignal },
): Promise<void> {
  const { store, clock } = core;
  const trash = { deletedBefore: before, limit: A_STEP };
  while (!signal.aborted && (await store.transact((tx) => tx.retention.purgeTrash(trash))) > 0);
  while (!signal.aborted) {
    const query = { madeBefore: before, now: clock.now(), limit: A_STEP };
    const ids = await store.committed.retention.listUnused(query);
    let deleted = 0;
    for (const id of ids) {
      if (signal.aborted) return;
      const removed = await store.transact(async (tx) => {
        const found = await tx.revisions.find(id);
        return found === null ? null : await removeRevision(core, tx, found);
      });
      if (removed?.ok === true) deleted += 1;
    }
    // What others deleted meanwhile, or came to need, is not met again for ever.
    if (deleted === 0) return;
  }
}
