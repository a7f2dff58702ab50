// The account of a run, beside the one that its agent belongs to now. Pure.

import type { Agent } from "../agents/agent.ts";
import { accountOfWallet } from "../money/ledger.ts";
import type { RunRecord } from "./run-record.ts";

/**
 * Whether what the agent's account has is for the run: false once the agent was given back, deleted, or claimed by another account than
 * the one that the run is of. A run that no account pays is of whoever claims its agent.
 */
export function isOfOwner(
  run: Pick<RunRecord, "billingAccount">,
  agent: Pick<Agent, "accountId"> | null,
): boolean {
  if (agent === null) return false;
  const accountId = accountOfWallet(run.billingAccount);
  return accountId === null || accountId === agent.accountId;
}
