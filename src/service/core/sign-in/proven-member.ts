// Who signs in, and to which of their accounts.

import type { Core } from "../core.ts";

export type ProvenMember = {
  readonly accountId: string;
  readonly personId: string;
  /** Whether they have further accounts, and choose. Left out: they have not. */
  readonly hasChoice?: boolean;
};

/** The account to which a person signs in first: the one that they have been in longest. Null where they have none. */
export async function memberOf(
  { store }: Pick<Core, "store">,
  personId: string,
): Promise<ProvenMember | null> {
  const [first, ...others] = await store.committed.people.listMemberships(personId);
  return first === undefined
    ? null
    : { accountId: first.accountId, personId, ...(others.length > 0 ? { hasChoice: true } : {}) };
}
