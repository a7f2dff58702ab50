// Accounts, as the core reads and writes them. Implemented in store/accounts.ts.

import type { Account } from "../../accounts/account.ts";
import type { PageQuery } from "./page.ts";

export interface AccountReader {
  find(id: string): Promise<Account | null>;
  count(): Promise<number>;
  /** Every account, newest first. */
  listAll(query: PageQuery): Promise<readonly AccountSummary[]>;
  /** Whether anybody has ever signed in to an account on a page. */
  hasSignedIn(): Promise<boolean>;
  /** The ids of accounts whose subscription continues and whose period ended by `now`, the longest ago first. */
  listDue(query: { now: number; limit: number }): Promise<readonly string[]>;
}

export interface AccountStore extends AccountReader {
  insert(account: Account): Promise<void>;
  /** Reads an account. No other transaction makes agents of it or changes it until this one ends. */
  lock(id: string): Promise<Account | null>;
  /** Writes an account's plan and subscription; the caller holds its lock. */
  update(account: Account): Promise<void>;
  /** Records that somebody signed in to the account. */
  markSignedIn(signIn: { id: string; now: number }): Promise<void>;
}

export type AccountSummary = {
  readonly account: Account;
  /** When somebody first signed in to it on a page. */
  readonly signedInAt: number | null;
  /** How many agents it has that are not retired. */
  readonly agents: number;
};
