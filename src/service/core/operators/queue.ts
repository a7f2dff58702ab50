// Runs that wait for a worker, by billing account, and the workers there are.

import type { Core } from "../core.ts";
import { planWeights } from "../money/rates.ts";
import { NODE_LOST_MS } from "../nodes/node.ts";
import { listNodes } from "../nodes/nodes.ts";
import type { WaitingAccount } from "../runs/queue-port.ts";

export type Queue = {
  /** Runs that wait for a worker. */
  readonly queued: number;
  /** Those with the fewest runs at work for their weight come first. */
  readonly accounts: readonly WaitingAccount[];
  /** There are more accounts with waiting runs than are shown. */
  readonly hasMore: boolean;
  /** Of the nodes that are seen. */
  readonly slots: number;
  readonly busy: number;
};

/** At most `limit` accounts. */
export async function readQueue(
  core: Pick<Core, "clock" | "node" | "rates" | "store">,
  limit: number,
): Promise<Queue> {
  const { queue } = core.store.committed;
  const now = core.clock.now();
  const [queued, found, nodes] = await Promise.all([
    queue.count(),
    queue.listWaiting({ limit: limit + 1, weights: planWeights(core.rates) }),
    listNodes(core),
  ]);
  const seen = nodes.filter(({ seenAt }) => now - seenAt <= NODE_LOST_MS);
  return {
    queued,
    accounts: found.slice(0, limit),
    hasMore: found.length > limit,
    slots: seen.reduce((sum, { slots }) => sum + slots, 0),
    busy: seen.reduce((sum, { runIds }) => sum + runIds.length, 0),
  };
}
