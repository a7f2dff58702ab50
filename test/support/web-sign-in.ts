// A browser that is signed in to the pages of a core fixture.

import type { Core } from "../../src/service/core/core.ts";
import { openWebSession } from "../../src/service/core/web-sessions/web-sessions.ts";
import { addPerson } from "./people.ts";

type Signing = Pick<Core, "store" | "clock" | "random">;

export type SignedIn = {
  readonly accountId: string;
  readonly personId: string;
  readonly secret: string;
  readonly cookie: string;
};

/**
 * Signs in without a page, by default the account's first owner, who is made where it has none. The cookie is that of plain http.
 */
export async function signInTo(core: Signing, accountId: string, personId?: string): Promise<SignedIn> {
  const member = personId ?? (await ownerOf(core, accountId));
  const signedIn = { accountId, personId: member } as const;
  const { secret } = await openWebSession(core, { ...signedIn, method: "link", userAgent: "a browser" });
  return { ...signedIn, secret, cookie: `session=${secret}` };
}

/** The account's first owner, who is made where it has none, as the account is. */
export async function ownerOf(core: Signing, accountId: string): Promise<string> {
  const found = await core.store.committed.people.findFirstOwner(accountId);
  if (found !== null) return found;
  await core.store.transact(async (tx) => {
    if ((await tx.accounts.lock(accountId)) !== null) return;
    const createdAt = core.clock.now();
    await tx.accounts.insert({
      id: accountId,
      name: null,
      plan: "registered_free",
      createdAt,
      subscription: null,
    });
  });
  return await addPerson(core, { accountId, role: "owner" });
}
