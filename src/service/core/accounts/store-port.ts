// Accounts, their people and their credentials, as the core reads and writes them. Implemented in store/accounts.ts,
// store/people.ts and store/credentials.ts.

import type { Role } from "../../../contract/roles.ts";
import type { PageQuery } from "../ports/page.ts";
import type { Account } from "./account.ts";
import type { CallerPerson } from "./caller.ts";
import type { ApiKey, Credential } from "./credential.ts";
import type { AccountPerson, Membership, NamedMembership, Person } from "./person.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly accounts: AccountReader;
    readonly credentials: CredentialReader;
    readonly people: PeopleReader;
  }
  interface StoreTransaction {
    readonly accounts: AccountStore;
    readonly credentials: CredentialStore;
    readonly people: PeopleStore;
  }
}

interface AccountReader {
  find(id: string): Promise<Account | null>;
  /** The plans of those of these accounts that there are, in no order. */
  listPlans(ids: readonly string[]): Promise<readonly Pick<Account, "id" | "plan">[]>;
  count(): Promise<number>;
  /** Every account, or those that were looked for, newest first. */
  listAll(query: AllAccountsQuery): Promise<readonly AccountSummary[]>;
  /** Whether anybody has ever signed in to an account on a page. */
  hasSignedIn(): Promise<boolean>;
  /** The ids of accounts whose subscription continues and whose period ended by `now`, the longest ago first. */
  listDue(query: { now: number; limit: number }): Promise<readonly string[]>;
}

export interface AccountStore extends AccountReader {
  insert(account: Account): Promise<void>;
  /** Reads an account. No other transaction makes agents of it or changes it until this one ends. */
  lock(id: string): Promise<Account | null>;
  /** Writes an account's name, plan and subscription; the caller holds its lock. */
  update(account: Account): Promise<void>;
  /** Records that somebody signed in to the account. */
  markSignedIn(signIn: { id: string; now: number }): Promise<void>;
}

export type AllAccountsQuery = PageQuery & {
  /** What the name or the id contains; letters of ASCII in any case. Null: anything. */
  readonly text: string | null;
};

export type AccountSummary = {
  readonly account: Account;
  /** When somebody first signed in to it on a page. */
  readonly signedInAt: number | null;
  /** The count of its agents that are not retired. */
  readonly agents: number;
  /** The count of its people. */
  readonly members: number;
};

/** `role` is that of its person in the account now. Null where they are no member, or it is nobody's. */
export type HeldCredential = Credential & {
  readonly role: Role | null;
  /** Of its person, now. */
  readonly person: CallerPerson;
};

interface PeopleReader {
  find(id: string): Promise<Person | null>;
  findMember(member: { accountId: string; personId: string }): Promise<AccountPerson | null>;
  /** Those of an account, the longest there first. */
  listMembers(accountId: string): Promise<readonly AccountPerson[]>;
  /** The accounts of a person, the longest there first. */
  listMemberships(personId: string): Promise<readonly NamedMembership[]>;
  /** The owner who has been there longest. */
  findFirstOwner(accountId: string): Promise<string | null>;
}

export interface PeopleStore extends PeopleReader {
  insert(person: Person): Promise<void>;
  rename(person: Pick<Person, "id" | "name">): Promise<void>;
  /** False where the person is a member already. Safe to race. */
  addMember(membership: Membership): Promise<boolean>;
  /** Writes a member's role; the caller holds the account's lock. */
  changeMember(membership: Pick<Membership, "accountId" | "personId" | "role">): Promise<void>;
  /** Writes a member's cap a day, null for none; the caller holds the account's lock. */
  capMember(cap: { accountId: string; personId: string; dayCapMicroUsd: number | null }): Promise<void>;
  removeMember(member: { accountId: string; personId: string }): Promise<void>;
}

interface CredentialReader {
  find(hash: string): Promise<HeldCredential | null>;
  /** One account's keys; with null those of all accounts. Oldest first. */
  listKeys(accountId: string | null): Promise<readonly ApiKey[]>;
}

export interface CredentialStore extends CredentialReader {
  insert(credential: Credential): Promise<void>;
  /** Revokes a key. False when there is no such key, or it was revoked before. */
  revokeKey(revocation: { id: string; now: number }): Promise<boolean>;
  /** Revokes one access token. Safe to repeat. */
  revokeToken(revocation: { hash: string; now: number }): Promise<void>;
  /** Revokes every access token that was issued under a grant. Safe to repeat. */
  revokeTokensOf(revocation: { grantId: string; now: number }): Promise<void>;
  /** Revokes all of a person's credentials in an account, or the owner's keys among them. */
  revokeOfPerson(revocation: PersonsCredentials & { readonly now: number }): Promise<void>;
  /** Gives a person's keys to another person: all, or the owner's among them. */
  giveKeys(gift: PersonsCredentials & { readonly to: string }): Promise<void>;
  /** Records that the credential was used. */
  touch(use: { hash: string; now: number }): Promise<void>;
}

export type PersonsCredentials = {
  readonly accountId: string;
  readonly personId: string;
  readonly which: "all" | "owner_keys";
};
