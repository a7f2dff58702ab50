// A job that works on a commit which is held: nothing of it is deleted for a while, and it may be the newest of the default
// branch.

import { recordDefaultHead } from "../commits/default-head.ts";
import type { HeldCommit } from "../commits/held-pack.ts";
import type { Core } from "../core.ts";
import type { CommitRequest } from "./commit-access.ts";

/** False where some of it is gone. */
export async function useCommit(
  core: Core,
  { caller, sha }: Pick<CommitRequest, "caller" | "sha">,
  { packs }: HeldCommit,
): Promise<boolean> {
  const { agentId, job } = caller.capability;
  return await core.store.transact(async (tx) => {
    const ids = packs.map(({ id }) => id);
    if (!(await tx.packs.touch({ ids, now: core.clock.now() }))) return false;
    if (sha === job.sha) await recordDefaultHead(core, tx, { agentId, job });
    return true;
  });
}
