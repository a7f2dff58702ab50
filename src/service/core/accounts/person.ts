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
  /** What the runs that they start may cost a day. Left out: no cap of theirs. */
  readonly dayCapMicroUsd?: number;
};

/** With what the account is called; null where it has no name. */
export type NamedMembership = Membership & { readonly accountName: string | null };

export type AccountPerson = Membership & Pick<Person, "name">;

const PERSON = "person:";

/** Who has started a run, for its record, where a person has: no code host is called so. */
export function starterOfPerson(personId: string): string {
  return PERSON + personId;
}

/** The person of an account who has started a run. Null: a job, or nobody who is known. */
export function personOfStarter(startedBy: string | undefined): string | null {
  return startedBy?.startsWith(PERSON) === true ? startedBy.slice(PERSON.length) : null;
}

/** For others in the account. */
export function shownName({ personId, name }: Pick<AccountPerson, "personId" | "name">): string {
  return name === "" ? `person ${personId.slice(-6)}` : name;
}
