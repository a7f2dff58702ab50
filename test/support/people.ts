// People in accounts of a core fixture.

import type { Role } from "../../src/contract/roles.ts";
import type { Core } from "../../src/service/core/core.ts";

/** Makes a person who is a member of the account. Returns their id. */
export async function addPerson(
  core: Pick<Core, "store" | "clock" | "random">,
  { accountId, role, name = "" }: { accountId: string; role: Role; name?: string },
): Promise<string> {
  const now = core.clock.now();
  const id = core.random.uuid(now);
  await core.store.transact(async (tx) => {
    await tx.people.insert({ id, name, createdAt: now });
    await tx.people.addMember({
      accountId,
      personId: id,
      role,
      source: "invited",
      addedBy: null,
      addedAt: now,
    });
  });
  return id;
}
