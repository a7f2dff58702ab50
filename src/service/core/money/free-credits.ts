// The free credits of a repository's owner: granted once a month, on first use.

import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { Core, Policy } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { freeCreditsAccount, GRANTS, grantInMicroUsd } from "./ledger.ts";

/** Opens this month's account with its grant, if that has not been done. Returns the account and its balance. Safe to race. */
export async function ensureFreeCredits(
  core: Core,
  tx: StoreTransaction,
  job: JobIdentity,
): Promise<{ account: string; balance: number }> {
  const now = core.clock.now();
  const account = freeCreditsAccount({ issuer: job.issuer, ownerId: job.repository.ownerId }, now);
  const balance = await tx.ledger.findBalance(account);
  if (balance !== null) return { account, balance };
  const microUsd = grantInMicroUsd(core.policy.freeCredits);
  if ((await tx.ledger.open(account)) && microUsd > 0) {
    const id = core.random.uuid(now);
    await tx.ledger.post({ id, at: now, kind: "grant", from: GRANTS, to: account, microUsd, runId: null });
  }
  return { account, balance: (await tx.ledger.findBalance(account)) ?? 0 };
}

/** True for a public repository; with `freeFor` "everyone" for every repository. */
export function isFree({ freeFor }: Pick<Policy, "freeFor">, { repository }: JobIdentity): boolean {
  return freeFor === "everyone" || repository.visibility === "public";
}
