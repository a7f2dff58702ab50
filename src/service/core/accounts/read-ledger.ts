// GET /v1/account/ledger: the postings of an account, each with the balance after it.

import type { Core } from "../core.ts";
import { accountWallet, changeOf } from "../money/ledger.ts";
import type { PostingOfRun } from "../money/store-port.ts";
import type { AccountCaller } from "./caller.ts";

export type LedgerLines = {
  readonly lines: readonly {
    readonly posting: PostingOfRun;
    readonly changeMicroUsd: number;
    readonly balanceMicroUsd: number;
  }[];
  /** After the first of them. */
  readonly closingMicroUsd: number;
  /** Before the last of them. */
  readonly openingMicroUsd: number;
  /** The value of `before` for the next page; null on the last page. */
  readonly next: string | null;
};

/** The newest first. */
export async function readLedger(
  core: Pick<Core, "store">,
  {
    caller,
    before,
    limit,
  }: { caller: Pick<AccountCaller, "accountId">; before: string | null; limit: number },
): Promise<LedgerLines> {
  const wallet = accountWallet(caller.accountId);
  const page = { billingAccount: wallet, before, limit: limit + 1 };
  const { postings, balanceAfter } = await core.store.committed.ledger.listPostings(page);
  const closingMicroUsd = balanceAfter ?? 0;
  let balance = closingMicroUsd;
  const lines = postings.slice(0, limit).map((posting) => {
    const changeMicroUsd = changeOf(wallet, posting);
    const line = { posting, changeMicroUsd, balanceMicroUsd: balance };
    balance -= changeMicroUsd;
    return line;
  });
  const next = postings.length > limit ? (lines.at(-1)?.posting.id ?? null) : null;
  return { lines, closingMicroUsd, openingMicroUsd: balance, next };
}
