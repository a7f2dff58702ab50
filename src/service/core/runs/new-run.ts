// What every new run begins with: its price held, and its record.

import type { RunOrigin } from "../../../contract/runs/run.ts";
import type { Core } from "../core.ts";
import { RUN_FEE_MICRO_USD } from "../money/ledger.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { RunRecord } from "./run-record.ts";

/** Holds what a run costs at least. False when the billing account has not got it. */
export async function holdFee(
  core: Core,
  tx: StoreTransaction,
  { billingAccount, runId }: { billingAccount: string; runId: string },
): Promise<boolean> {
  return await holdCredits(core, tx, { billingAccount, runId, microUsd: RUN_FEE_MICRO_USD });
}

/** Holds some of the billing account's credits for a run. False when the billing account has not got them. */
export async function holdCredits(
  core: Core,
  tx: StoreTransaction,
  { billingAccount, runId, microUsd }: { billingAccount: string; runId: string; microUsd: number },
): Promise<boolean> {
  const at = core.clock.now();
  const id = core.random.uuid(at);
  return await tx.ledger.hold({ id, at, billingAccount, microUsd, runId });
}

/** A run as it is before anybody took it. Null for `parentRunId` unless a run delegated it. */
export function queuedRun(options: {
  id: string;
  agentId: string;
  threadId: string;
  origin: RunOrigin;
  parentRunId: string | null;
  billingAccount: string;
  now: number;
}): RunRecord {
  const { id, agentId, threadId, origin, parentRunId, billingAccount, now } = options;
  return {
    id,
    agentId,
    threadId,
    status: "queued",
    origin,
    parentRunId,
    billingAccount,
    holdMicroUsd: RUN_FEE_MICRO_USD,
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
    lastSeq: 0,
    fence: 0,
  };
}
