// GET …/operations/{operationID}, and the answer of what begins an operation.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import { keepingOf } from "../reach-workspace.ts";
import type { WorkspaceRefusal } from "../refusals.ts";
import type { WorkspaceCaller } from "../workspace-caller.ts";
import { hasEnded, type Operation } from "./operation.ts";
import type { OperationRefusal } from "./refusals.ts";

/** The time for which an answer waits for an operation that may have ended by then. */
const ANSWER_WAIT_MS = 250;
/** A signal of another node may be lost: how often a waiting reader looks by itself. */
const RECHECK_MS = 2_000;

type OperationRequest = {
  readonly caller: WorkspaceCaller;
  readonly workspaceId: string;
  readonly operationId: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
};

/** Also of a workspace that is no more. Waits until the operation has ended, or for `waitMs`. */
export async function findOperation(
  core: Core,
  request: OperationRequest,
): Promise<Result<Operation, WorkspaceRefusal | OperationRefusal>> {
  const until = core.clock.monotonic() + request.waitMs;
  for (;;) {
    const listener = core.signals.listen(request.operationId);
    try {
      const found = await readOperation(core, request);
      const leftMs = until - core.clock.monotonic();
      const isOver = leftMs <= 0 || request.signal.aborted || core.signals.isClosed;
      if (!found.ok || hasEnded(found.value) || isOver) return found;
      await firstOf(core, listener.moved, { ms: Math.min(leftMs, RECHECK_MS), signal: request.signal });
    } finally {
      listener.stop();
    }
  }
}

/** The operation as it is a moment after it was begun here. */
export async function afterMoment(core: Core, operationId: string): Promise<Operation> {
  await firstOf(core, keepingOf(core).operations.settled(operationId), { ms: ANSWER_WAIT_MS });
  const operation = await core.store.committed.operations.find(operationId);
  if (operation === null) throw new TypeError(`Operation ${operationId} is not stored.`);
  return operation;
}

async function readOperation(
  core: Core,
  { caller, workspaceId, operationId }: OperationRequest,
): Promise<Result<Operation, WorkspaceRefusal | OperationRefusal>> {
  const operation = await core.store.committed.operations.find(operationId);
  if (operation === null || operation.workspaceId !== workspaceId) {
    return refused({ reason: "operation_not_found", operationId });
  }
  const isOfRun = caller.kind !== "member_run" || caller.workspaceId === workspaceId;
  return operation.accountId === caller.accountId && isOfRun
    ? ok(operation)
    : refused({ reason: "workspace_of_another", workspaceId });
}

/** Resolves with the first of them. */
async function firstOf(
  { clock }: Core,
  moved: Promise<void>,
  { ms, signal }: { ms: number; signal?: AbortSignal },
): Promise<void> {
  const done = new AbortController();
  const signals = signal === undefined ? [done.signal] : [done.signal, signal];
  const slept = clock.sleep(ms, AbortSignal.any(signals)).catch(() => {});
  await Promise.race([moved, slept]);
  done.abort();
}
