// Takes an operation to its end in this process, and lets go of it where that is not possible.
// Why: docs/decisions/082-operations-outlive-their-process.md

import type { Core } from "../../core.ts";
import { keepingOf } from "../reach-workspace.ts";
import type { Operation } from "./operation.ts";
import { OperationAtWork, OperationLostError } from "./operation-at-work.ts";

/** An operation that fails for reasons of the service is tried so often. */
const MAX_ATTEMPTS = 5;

/** What a kind of operation does. It ends its operation itself, with the last of its work. */
export type OperationWork = (core: Core, atWork: OperationAtWork) => Promise<void>;

/** Begins to work at an operation that is this process's. Never throws. */
export function startOperation(core: Core, operation: Operation, work: OperationWork): void {
  keepingOf(core).operations.start(operation.id, (stopping) => workAt(core, { operation, work, stopping }));
}

async function workAt(
  core: Core,
  { operation, work, stopping }: { operation: Operation; work: OperationWork; stopping: AbortSignal },
): Promise<void> {
  const { log, signals } = core;
  const { id: operationId, kind } = operation;
  const atWork = new OperationAtWork(core, { operation, stopping });
  const held = atWork.hold();
  try {
    await work(core, atWork);
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
