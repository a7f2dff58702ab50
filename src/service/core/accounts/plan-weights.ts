// The weights of billing accounts in the queue, by the plans that their accounts have now.

import type { Core } from "../core.ts";
import { accountOfWallet } from "../money/ledger.ts";
import { hasWeights, planWeights } from "../money/rates.ts";

/**
 * By billing account; one that is not among them has no plan. Empty where every plan weighs the same as none, or the store cannot
 * answer: then all have the same weight for once.
 */
export async function findWeights(
  { log, rates, store }: Pick<Core, "log" | "rates" | "store">,
  billingAccounts: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const weights = planWeights(rates);
  if (!hasWeights(weights)) return new Map();
  const walletOf = new Map(
    billingAccounts.flatMap((wallet) => {
      const id = accountOfWallet(wallet);
      return id === null ? [] : [[id, wallet] as const];
    }),
  );
  try {
    const found = await store.committed.accounts.listPlans([...walletOf.keys()]);
    return new Map(found.map(({ id, plan }) => [walletOf.get(id) ?? "", weights[plan]]));
  } catch (cause) {
    log.warn({ err: cause }, "could not read the plans of accounts that wait for a worker");
    return new Map();
  }
}
