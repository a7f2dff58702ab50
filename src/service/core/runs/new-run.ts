// What every new run begins with: the hold of its fee, and its record.

import type { RunOrigin } from "../../../contract/runs/run.ts";
import type { Core } from "../core.ts";
import { feeOf, type RunPrice } from "../money/run-price.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { RunRecord } from "./run-record.ts";

/** Holds the fee of a run. False when the billing account has not enough. */
export async function holdFee(
  core: Core,
  tx: StoreTransaction,
  run: { billingAccount: string; runId: string; price: RunPrice | null },
): Promise<boolean> {
  return await holdCredits(core, tx, { ...run, microUsd: feeOf(run.price) });
}

/** Holds some of a billing account's credits for a run. False when it has not enough. */
export async function holdCredits(
  core: Core,
  tx: StoreTransaction,
  { billingAccount, runId, microUsd }: { billingAccount: string; runId: string; microUsd: number },
): Promise<boolean> {
  if (microUsd === 0) return true;
  const at = core.clock.now();
  const id = core.random.uuid(at);
  return await tx.ledger.hold({ id, at, billingAccount, microUsd, runId });
}

/** A run as it is before a worker takes it. `parentRunId` is null unless a run delegated it. */
export function queuedRun(options: {
  id: string;
  agentId: string;
  sessionId: string;
  origin: RunOrigin;
  parentRunId: string | null;
  billingAccount: string;
  price: RunPrice | null;
  now: number;
}): RunRecord {
  const { id, agentId, sessionId, origin, parentRunId, billingAccount, price, now } = options;
  return {
    id,
    agentId,
    sessionId,
    status: "queued",
    origin,
    parentRunId,
    billingAccount,
    price,
    holdMicroUsd: feeOf(price),
    submittedAt: now,
    startedAt: null,
    heartbeatAt: null,
    endedAt: null,
    cause: null,
    retryable: false,
    stopReason: null,
    usage: null,
    grossMicroUsd: 0,
    refundedMicroUsd: 0,
    refundReason: null,
    refundWithheldReason: null,
    lastSeq: 0,
    fence: 0,
  };
}
