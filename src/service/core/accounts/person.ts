// People and the accounts that they are members of. A person is not an account: one may be a member of several. Pure.
// Why: docs/decisions/154-a-person-is-not-an-account.md

import type { Role } from "../../../contract/roles.ts";

/** Identities, passkeys and sessions are a person's. Times are milliseconds since the epoch. */
export type Person = {
  readonly id: string;
  /** What others know them by. "" where nobody has said it. */
  readonly name: string;
  readonly createdAt: number;
};

/** "opened": with the account. "invited": by a link. "groups": by what a provider of identities says of its groups. */
export const membershipSources = ["opened", "invited", "groups"] as const;

export type Membership = {
  readonly accountId: string;
  readonly personId: string;
  readonly role: Role;
  readonly source: (typeof membershipSources)[number];
  /** The person who made the invitation. Null where nobody did. */
  readonly addedBy: string | null;
  readonly addedAt: number;
};

export type Member = Membership & Pick<Person, "name">;
