// The ledger: postings, and the balances of billing accounts. Implemented in store/ledger.ts.

import type { RunCause } from "../../../contract/runs/run.ts";
import type { PageQuery } from "../ports/page.ts";
import type { Hold, Posting } from "./posting.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly ledger: LedgerReader;
  }
  interface StoreTransaction {
    readonly ledger: LedgerStore;
  }
}

interface LedgerReader {
  /** The balance of a billing account. Null where it was never opened. */
  findBalance(billingAccount: string): Promise<number | null>;
  /** Balances by billing account, without those that were never opened. */
  listBalances(billingAccounts: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The postings of a billing account by their times, the newest first, with its balance at the same moment. */
  listPostings(query: LedgerQuery): Promise<LedgerPage>;
}

/** `before` is the id of a posting: none are listed where the billing account has no such one. */
export type LedgerQuery = PageQuery & { readonly billingAccount: string };

export type PostingOfRun = Posting & {
  /** The run's. Null where it is of none. */
  readonly agentId: string | null;
};

export type LedgerPage = {
  readonly postings: readonly PostingOfRun[];
  /** The balance after the first of them. Null where it was never opened, or has no posting `before`. */
  readonly balanceAfter: number | null;
};

export interface LedgerStore extends LedgerReader {
  /** Opens a billing account with a balance of 0. False when it was open. Safe to race. */
  open(billingAccount: string): Promise<boolean>;
  /** Moves credits of a billing account to where holds wait. False, and nothing done, when it has not enough. */
  hold(hold: Hold): Promise<boolean>;
  /** Records a posting that takes nothing from a billing account. Throws a TypeError on one that does. */
  post(posting: Posting): Promise<void>;
  /** Uses one of the calls of a tool that a billing account has for nothing this month. False when none is left. Safe to race. */
  takeFreeCall(call: FreeCall): Promise<boolean>;
  /**
   * Counts a billing account's runs that ended since then, were refunded, and for these causes. No other transaction
   * refunds one until this one ends.
   */
  countRefunds(query: RefundQuery): Promise<number>;
  /** Records postings as `post` does. Of billing accounts only `billingAccount` may receive some. */
  settle(settlement: Settlement): Promise<void>;
}

export type Settlement = { readonly billingAccount: string; readonly postings: readonly Posting[] };

export type FreeCall = {
  readonly billingAccount: string;
  readonly month: string;
  readonly tool: string;
  /** A month. */
  readonly allowed: number;
};

export type RefundQuery = {
  readonly billingAccount: string;
  readonly since: number;
  readonly causes: readonly RunCause[];
};
