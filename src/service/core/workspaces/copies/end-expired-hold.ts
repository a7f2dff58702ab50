// A run that was silent for too long loses its copy to who comes next, not to a clock.
// Why: docs/decisions/110-leases-by-fence-and-the-stores-time.md

import type { StoreTransaction } from "../../ports/store.ts";
import { type Copy, type CopyHold, holderOf } from "./copy.ts";

/**
 * The run that holds the copy, for a caller that is about to change it. An expired hold is ended: its worker may not write over
 * what the caller changes. The caller has locked or shared the copy.
 */
export async function endExpiredHold(
  tx: StoreTransaction,
  copy: Pick<Copy, "id" | "hold">,
): Promise<CopyHold | null> {
  const { id, hold } = copy;
  if (hold?.hasExpired === true) await tx.copies.release(id, hold);
  return holderOf(copy);
}
