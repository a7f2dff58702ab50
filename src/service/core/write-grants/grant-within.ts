// A write grant as a part of a transaction.

import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";

export async function grantWithin(
  core: Pick<Core, "clock">,
  tx: StoreTransaction,
  { agentId, server }: { agentId: string; server: string },
): Promise<void> {
  await tx.writeGrants.put(agentId, { server, grantedAt: core.clock.now() });
}
