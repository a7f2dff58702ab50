// Takes an operation to its end in this process, and lets go of it where that is not possible now.
// Why: docs/decisions/082-operations-outlive-their-process.md

import { type BackoffPolicy, nextDelayMs } from "../../../../base/backoff.ts";
import { msSince } from "../../../../base/clock.ts";
import type { BlobStoreError } from "../../blobs/blob-store.ts";
import type { Core } from "../../core.ts";
import type { StorageFullError } from "../../ports/storage-full.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { StoreUnavailableError } from "../../ports/store-unavailable.ts";
import { keepingOf } from "../reach-workspace.ts";
import { LONGEST_DELAY_MS, type Operation, type OperationError } from "./operation.ts";
import { OperationAtWork, OperationLostError } from "./operation-at-work.ts";

/** An operation that fails by a fault of the service itself is tried so often. */
const MAX_FAULTS = 5;
const AFTER_FAULT: BackoffPolicy = {
  attempts: Number.POSITIVE_INFINITY,
  firstDelayMs: 9_000,
  maxDelayMs: LONGEST_DELAY_MS,
};
/** So long an operation waits for a store or a bucket that cannot be used. */
const LONGEST_OUTAGE_MS = 24 * 60 * 60_000;
/** The longer an outage has lasted, the longer until the next attempt. */
const OUTAGE_DELAY = { part: 1 / 4, minMs: 2_000, maxMs: 60_000 };

type OutsideCode = (BlobStoreError | StorageFullError | StoreUnavailableError)["code"];
const outsideCodes: Readonly<Record<OutsideCode, true>> = {
  blobs_unavailable: true,
  storage_full: true,
  store_unavailable: true,
};

/** The work of a kind of operation. */
export type OperationWork = {
  /** Ends its operation itself, with the last of its work. Where it does not, another attempt goes on with it. */
  readonly run: (core: Core, atWork: OperationAtWork) => Promise<void>;
  /** Ends what else waits for an operation that is given up. Null: it is tried until it succeeds. */
  readonly giveUp: ((core: Core, tx: StoreTransaction, given: GivenUp) => Promise<unknown>) | null;
};

export type GivenUp = { readonly operation: Operation; readonly error: OperationError };

/** Begins to work at an operation that is this process's. Never throws. */
export function startOperation(core: Core, operation: Operation, work: OperationWork): void {
  keepingOf(core).operations.start(operation.id, (stopping) => workAt(core, { operation, work, stopping }));
}

async function workAt(
  core: Core,
  { operation, work, stopping }: { operation: Operation; work: OperationWork; stopping: AbortSignal },
): Promise<void> {
  const { log, signals } = core;
  const { id: operationId } = operation;
  const atWork = new OperationAtWork(core, { operation, stopping });
  const held = atWork.hold();
  try {
    await work.run(core, atWork);
  } catch (cause) {
    const isLost = cause instanceof OperationLostError || atWork.signal.reason instanceof OperationLostError;
    if (!isLost && !stopping.aborted) {
      await afterFailure(core, { atWork, work, cause }).catch((err: unknown) => {
        // Its lease runs out: it is taken up then.
        log.warn({ err, operationId }, "that an operation failed could not be stored");
      });
    }
  }
  await atWork.leave({ handsOver: stopping.aborted });
  await held;
  signals.publish(operationId);
}

async function afterFailure(
  core: Core,
  { atWork, work, cause }: { atWork: OperationAtWork; work: OperationWork; cause: unknown },
): Promise<void> {
  const { clock, log, random } = core;
  const { operation } = atWork;
  const isOutage = isOutside(cause);
  const about = { err: cause, operationId: operation.id, kind: operation.kind, attempt: operation.fence };
  if (isOutage) log.warn(about, "an operation waits for the service's store or storage");
  else log.error(about, "an operation failed");
  const faults = operation.faults + (isOutage ? 0 : 1);
  const lastedMs = Math.max(0, msSince(clock, operation.createdAt));
  const isOver = isOutage ? lastedMs > LONGEST_OUTAGE_MS : faults >= MAX_FAULTS;
  const { giveUp } = work;
  if (isOver && giveUp !== null) {
    const error = isOutage ? OUTAGE : FAULT;
    return await atWork.end(async (tx) => {
      await giveUp(core, tx, { operation, error });
      return { status: "failed", error };
    });
  }
  const { part, minMs, maxMs } = OUTAGE_DELAY;
  const delayMs = isOutage
    ? Math.min(maxMs, Math.max(minMs, lastedMs * part))
    : nextDelayMs(AFTER_FAULT, { attempt: faults, random: random.fraction() });
  await atWork.postpone(delayMs ?? AFTER_FAULT.maxDelayMs, faults);
}

function isOutside(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return typeof code === "string" && Object.hasOwn(outsideCodes, code);
}

const FAULT: OperationError = {
  code: "internal",
  error: "The service could not do this. Request it again, or tell its operator the operation's id.",
};

const OUTAGE: OperationError = {
  code: "storage_unavailable",
  error: "The service's storage could not be used for 24 hours. Request it again, or tell its operator.",
};
