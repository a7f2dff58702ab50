// A secret of the service that every node has to know: made once, at its first use, on whichever node.

import type { Core } from "../core.ts";

/** The secret of this name. Safe to race: all get the one that was kept first. */
export async function serviceSecret(
  core: Pick<Core, "store" | "clock">,
  secret: { name: string; make: () => Promise<string> },
): Promise<string> {
  const { name, make } = secret;
  const kept = await core.store.committed.serviceSecrets.find(name);
  if (kept !== null) return kept;
  const value = await make();
  return await core.store.transact(async (tx) => {
    await tx.serviceSecrets.keep({ name, value, now: core.clock.now() });
    return (await tx.serviceSecrets.find(name)) ?? value;
  });
}
