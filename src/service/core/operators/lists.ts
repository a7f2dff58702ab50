// An operator's lists of all accounts, for commands and pages: pages of the store's rows, newest first.

import type { Account } from "../accounts/account.ts";
import type { AllAccountsQuery } from "../accounts/store-port.ts";
import type { Agent } from "../agents/agent.ts";
import type { AllAgentsQuery } from "../agents/store-port.ts";
import type { AuditEntry } from "../audit/audit-entry.ts";
import type { AuditQuery } from "../audit/store-port.ts";
import { accountWallet, balanceInCredits, chargeInCredits } from "../money/ledger.ts";
import type { Store } from "../ports/store.ts";
import type { RunRecord } from "../runs/run-record.ts";
import type { AllRunsQuery } from "../runs/store-port.ts";

type ListedAccount = {
  readonly account: Account;
  readonly signedInAt: number | null;
  readonly agents: number;
  readonly members: number;
  /** In credits. */
  readonly balance: number;
};

type ListedRun = {
  readonly run: RunRecord;
  readonly agentName: string;
  readonly accountId: string | null;
  /** Its charges, without refunds. */
  readonly credits: number;
};

export type OperatorLists = {
  accounts(query: AllAccountsQuery): Promise<readonly ListedAccount[]>;
  agents(query: AllAgentsQuery): Promise<readonly Agent[]>;
  runs(query: AllRunsQuery): Promise<readonly ListedRun[]>;
  audit(query: AuditQuery): Promise<readonly AuditEntry[]>;
};

export function operatorLists({ committed }: Pick<Store, "committed">): OperatorLists {
  return {
    accounts: async (query) => {
      const found = await committed.accounts.listAll(query);
      const balances = await committed.ledger.listBalances(
        found.map(({ account }) => accountWallet(account.id)),
      );
      return found.map((one) => ({
        ...one,
        balance: balanceInCredits(balances.get(accountWallet(one.account.id)) ?? 0),
      }));
    },
    agents: (query) => committed.agents.listAll(query),
    runs: async (query) =>
      (await committed.runs.listAll(query)).map((one) => ({
        ...one,
        credits: chargeInCredits(one.run.grossMicroUsd - one.run.refundedMicroUsd),
      })),
    audit: (query) => committed.audit.list(query),
  };
}
