// Settles workers whose runs have ended without it: what those that died have left is saved once their leases have run out, and
// those that never began have changed nothing.
// Why: docs/decisions/089-what-a-worker-leaves.md

import type { Core } from "../../core.ts";
import { saveWorker } from "./save-worker.ts";

const AT_ONCE = 100;

/** Returns how many were settled. Safe to repeat, and on several nodes at once. */
export async function settleWorkers(core: Core): Promise<number> {
  const now = core.clock.now();
  const left = await core.store.committed.workers.listUnsettled({ now, limit: AT_ONCE });
  for (const worker of left) {
    try {
      await saveWorker(core, { worker, holder: null });
    } catch (cause) {
      core.log.warn({ worker_id: worker.id, err: cause }, "what a worker left could not be saved");
    }
  }
  return left.length;
}
