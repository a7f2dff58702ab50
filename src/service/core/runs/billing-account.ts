// The billing account of a submitted run, and the refusal where there is none.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Caller } from "../accounts/caller.ts";
import { isRenewalDue, lockCurrentAccount } from "../accounts/subscriptions.ts";
import type { Agent } from "../agents/agent.ts";
import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import { makeClaimUrl } from "../claims/claim-url.ts";
import type { Core } from "../core.ts";
import { ensureFreeCredits, isFree } from "../money/free-credits.ts";
import { accountWallet, freeCreditsAccount, freeCreditsResetAt, RUN_FEE_MICRO_USD } from "../money/ledger.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { SubmitRefusal } from "./refusals.ts";

/** The request needs more than one write. */
export class TransactionNeededError extends Error {}

/** The run cannot be paid for: everything is undone, and the refusal is made in a transaction of its own. */
export class UnpaidError extends Error {
  readonly explain: (tx: StoreTransaction) => Promise<SubmitRefusal>;

  constructor(explain: (tx: StoreTransaction) => Promise<SubmitRefusal>) {
    super("The run cannot be paid for.");
    this.explain = explain;
  }
}

export type BillingAccount = {
  readonly wallet: string;
  /** Locks what limits how many runs it has. Throws an UnpaidError. */
  lock(): Promise<void>;
  /** Why it does not pay. */
  refuse(tx: StoreTransaction): Promise<SubmitRefusal>;
};

/** Of a month. `balance` is null where they have not been granted yet, or do not pay for the caller's runs. */
export type FreeCredits = { readonly wallet: string; readonly balance: number | null };

/** The free credits that pay for a job's run where its agent has no account. Null: no job asks. Needs nothing of the agent. */
export async function findFreeCredits(
  core: Core,
  tx: StoreTransaction,
  caller: Caller,
): Promise<FreeCredits | null> {
  if (caller.kind !== "ci_job") return null;
  const { job } = caller.capability;
  const owner = { issuer: job.issuer, ownerId: job.repository.ownerId };
  const wallet = freeCreditsAccount(owner, core.clock.now());
  return { wallet, balance: isFree(core.policy, job) ? await tx.ledger.findBalance(wallet) : null };
}

type Payable = {
  readonly agent: Agent;
  /** The job that asks for it, or has asked. Null: an account does. */
  readonly job: JobIdentity | null;
  readonly isOneWrite: boolean;
  /** Of a job, where all is one write. */
  readonly freeCredits: FreeCredits | null;
};

/** The billing account that pays, or why there is none. */
export async function findBillingAccount(
  core: Core,
  tx: StoreTransaction,
  { agent, job, isOneWrite, freeCredits }: Payable,
): Promise<Result<BillingAccount, SubmitRefusal>> {
  if (agent.accountId !== null) return ok(accountPays(core, tx, { accountId: agent.accountId, isOneWrite }));
  if (job === null) throw new TypeError(`Agent ${agent.id} has no account, and no job asks for it.`);
  return await freeCreditsPay(core, tx, { agentId: agent.id, job, freeCredits });
}

function accountPays(
  core: Core,
  tx: StoreTransaction,
  { accountId, isOneWrite }: { accountId: string; isOneWrite: boolean },
): BillingAccount {
  const find = async () => {
    const account = isOneWrite
      ? await tx.accounts.find(accountId)
      : await lockCurrentAccount(core, tx, accountId);
    if (account === null) throw new Error(`There is no account ${accountId}, though it owns an agent.`);
    return account;
  };
  const lock = async () => {
    const account = await find();
    const allowed = core.rates.plans[account.plan].maxConcurrentRuns;
    if (isOneWrite && (allowed !== null || isRenewalDue(account, core.clock.now()))) {
      throw new TransactionNeededError();
    }
    const inFlight = allowed === null ? 0 : await tx.runs.countUnfinished(accountId);
    if (allowed === null || inFlight < allowed) return;
    throw new UnpaidError(async () => ({ reason: "concurrency_reached", inFlight, allowed }));
  };
  const refuse = async (refusing: StoreTransaction): Promise<SubmitRefusal> => {
    const account = await lockCurrentAccount(core, refusing, accountId);
    return { reason: "balance_ended", plan: account?.plan ?? "registered_free" };
  };
  return { wallet: accountWallet(accountId), lock, refuse };
}

/** Free credits pay for public repositories only; a private one has to be claimed by an account. */
async function freeCreditsPay(
  core: Core,
  tx: StoreTransaction,
  { agentId, job, freeCredits }: { agentId: string; job: JobIdentity; freeCredits: FreeCredits | null },
): Promise<Result<BillingAccount, SubmitRefusal>> {
  const unpaid = async (
    reason: "credits_ended" | "repository_private",
    refusing: StoreTransaction,
  ): Promise<SubmitRefusal> => ({
    reason,
    repository: job.repository.name,
    resetsAt: freeCreditsResetAt(core.clock.now()),
    claimUrl: await makeClaimUrl(core, refusing, { agentId, provider: job.provider }),
  });
  const refuse = (refusing: StoreTransaction) => unpaid("credits_ended", refusing);
  const lock = async () => {};
  if (freeCredits !== null) {
    const { wallet, balance } = freeCredits;
    if (balance === null || balance < RUN_FEE_MICRO_USD) throw new TransactionNeededError();
    return ok({ wallet, lock, refuse });
  }
  if (!isFree(core.policy, job)) return refused(await unpaid("repository_private", tx));
  const { account: wallet, balance } = await ensureFreeCredits(core, tx, job);
  if (balance < RUN_FEE_MICRO_USD) return refused(await refuse(tx));
  return ok({ wallet, lock, refuse });
}
