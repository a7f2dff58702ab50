// Saves what workers left that died: once their leases have run out, a node that is alive does it for them.
// Why: docs/decisions/089-what-a-worker-leaves.md

import type { Core } from "../../core.ts";
import { COPY_HOLD_MS } from "../copies/copy.ts";
import { saveWorker } from "./save-worker.ts";

const AT_ONCE = 100;

/** Returns how many were settled. Safe to repeat, and on several nodes at once. */
export async function settleWorkers(core: Core): Promise<number> {
  const endedBefore = core.clock.now() - COPY_HOLD_MS;
  const left = await core.store.committed.workers.listUnsettled({ endedBefore, limit: AT_ONCE });
  for (const worker of left) {
    try {
      await saveWorker(core, { worker, holder: null });
    } catch (cause) {
      core.log.warn({ worker_id: worker.id, err: cause }, "what a worker left could not be saved");
    }
  }
  return left.length;
}
