// An operator's lists of all accounts: pages of the store's rows, newest first.

import type { Account } from "../core/accounts/account.ts";
import type { Agent } from "../core/agents/agent.ts";
import type { AllAgentsQuery } from "../core/agents/store-port.ts";
import type { AuditEntry } from "../core/audit/audit-entry.ts";
import type { AuditQuery } from "../core/audit/store-port.ts";
import { accountWallet, balanceInCredits, chargeInCredits } from "../core/money/ledger.ts";
import type { PageQuery } from "../core/ports/page.ts";
import type { Store } from "../core/ports/store.ts";
import type { RunRecord } from "../core/runs/run-record.ts";
import type { AllRunsQuery } from "../core/runs/store-port.ts";

type ListedAccount = {
  readonly account: Account;
  readonly signedInAt: number | null;
  readonly agents: number;
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
  accounts(query: PageQuery): Promise<readonly ListedAccount[]>;
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
