// Takes an operation to its end: at once in the process that was asked for it, and in any other where that one died.

import type { Core } from "../../core.ts";
import { keepingOf } from "../reach-workspace.ts";
import { OPERATION_LEASE_MS, type Operation } from "./operation.ts";
import { OperationAtWork, OperationLostError } from "./operation-at-work.ts";
import { operationWorks } from "./operation-works.ts";

/** An operation that fails for reasons of the service is tried so often. */
const MAX_ATTEMPTS = 5;
/** Operations that one look takes up. */
const TAKEN_AT_ONCE = 8;

/** Begins to work at an operation that is this process's. Never throws. */
export function startOperation(core: Core, operation: Operation): void {
  keepingOf(core).operations.start(operation.id, (stopping) => workAt(core, operation, stopping));
}

/** Takes up operations that nobody works at. Returns how many. */
export async function takeUpOperations(core: Core): Promise<number> {
  const { clock, store } = core;
  const ids = await store.committed.operations.listDue({ now: clock.now(), limit: TAKEN_AT_ONCE });
  let taken = 0;
  for (const id of ids) {
    if (keepingOf(core).operations.has(id)) continue;
    const now = clock.now();
    const operation = await store.transact((tx) =>
      tx.operations.takeUp({ id, now, leaseUntil: now + OPERATION_LEASE_MS }),
    );
    if (operation === null) continue;
    taken += 1;
    startOperation(core, operation);
  }
  return taken;
}

async function workAt(core: Core, operation: Operation, stopping: AbortSignal): Promise<void> {
  const { log, signals } = core;
  const { id: operationId, kind } = operation;
  const atWork = new OperationAtWork(core, { operation, stopping });
  const held = atWork.hold();
  try {
    await operationWorks[kind](core, atWork);
  } catch (cause) {
    const isLost = cause instanceof OperationLostError || atWork.signal.reason instanceof OperationLostError;
    if (!isLost && !stopping.aborted) {
      log.error({ err: cause, operationId, kind, attempt: operation.fence }, "an operation failed");
      if (operation.fence >= MAX_ATTEMPTS) await giveUp(atWork).catch(() => {});
    }
  }
  await atWork.leave({ handsOver: stopping.aborted });
  await held;
  signals.publish(operationId);
}

async function giveUp(atWork: OperationAtWork): Promise<void> {
  const error = {
    code: "internal",
    error: "The service could not do this. Request it again, or tell its operator the operation's id.",
  };
  await atWork.end(async () => ({ status: "failed", error }));
}
