// /v1/workspaces/{workspaceID}/operations: read. And how what begins an operation answers.

import { ok, type Result } from "../../../../base/result.ts";
import type { operationRoutes } from "../../../../contract/workspaces/operations.ts";
import type { Core } from "../../../core/core.ts";
import type { OnceResult } from "../../../core/idempotency/once-result.ts";
import { hasEnded, type Operation } from "../../../core/workspaces/operations/operation.ts";
import { findOperation } from "../../../core/workspaces/operations/read-operation.ts";
import { toOperation } from "../../shared/copy-view.ts";
import type { NounHandlers } from "../handler.ts";

/** Seconds until who polls without waiting asks again. */
const POLL_SECONDS = "1";

export function operationHandlers(core: Core): NounHandlers<typeof operationRoutes> {
  return {
    get: async ({ caller, params, query, signal }) => {
      const { workspaceID: workspaceId, operationID: operationId } = params;
      const waitMs = query.wait * 1_000;
      const found = await findOperation(core, { caller, workspaceId, operationId, waitMs, signal });
      if (!found.ok) return found;
      const body = toOperation(found.value);
      return ok(hasEnded(found.value) ? { body } : { body, headers: { "Retry-After": POLL_SECONDS } });
    },
  };
}

/** 202 with the operation as it is now, and where it is read. */
export function answerOperation<Refusal>(result: Result<Operation, Refusal>) {
  return result.ok ? ok(operationAnswer(result.value)) : result;
}

/** The same of what a key makes one. */
export function answerOperationOnce<Refusal>(result: OnceResult<Operation, Refusal>) {
  if (!result.ok) return result;
  const { value: operation, isReplay } = result;
  return ok({ ...operationAnswer(operation), isReplay });
}

function operationAnswer(operation: Operation) {
  const { workspaceId, id } = operation;
  const headers = { Location: `/v1/workspaces/${workspaceId}/operations/${id}` };
  return { body: toOperation(operation), headers };
}
