// The service at one look: the queue, runs of today, nodes, and refusals of today.

import type { RefusalCount } from "../audit/store-port.ts";
import type { Core } from "../core.ts";
import type { NodeState } from "../nodes/node.ts";
import { listNodes } from "../nodes/nodes.ts";
import type { RunCounts } from "../runs/store-port.ts";

const DAY_MS = 86_400_000;

export type Overview = {
  /** Since midnight (UTC). */
  readonly runs: RunCounts;
  /** When the run was submitted that waits for a worker for longest. Null where none waits. */
  readonly longestWaitingSince: number | null;
  readonly nodes: readonly NodeState[];
  readonly refusals: readonly RefusalCount[];
};

/** The beginning of the day (UTC) that is `days` before the one of `now`. */
export function dayStart(now: number, days = 0): number {
  return (Math.floor(now / DAY_MS) - days) * DAY_MS;
}

export async function readOverview(core: Pick<Core, "clock" | "node" | "store">): Promise<Overview> {
  const { runs, queue, audit } = core.store.committed;
  const since = dayStart(core.clock.now());
  const [counts, longestWaitingSince, nodes, refusals] = await Promise.all([
    runs.countAll({ since }),
    queue.findLongestWaiting(),
    listNodes(core),
    audit.countRefusals({ since }),
  ]);
  return { runs: counts, longestWaitingSince, nodes, refusals };
}
