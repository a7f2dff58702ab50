// checkpoint: saves what was written in a copy as a revision.

import { ok, refused } from "../../../../../base/result.ts";
import { checkpointTool } from "../../../../../contract/mcp/workspace-tools.ts";
import { requestCheckpoint } from "../../../../core/workspaces/copies/checkpoint.ts";
import { findOperation } from "../../../../core/workspaces/operations/read-operation.ts";
import { answer, defineTool } from "../../tool.ts";

const WAIT_MS = 20_000;

export const checkpointCopy = defineTool({
  name: "checkpoint",
  title: "Save a working copy",
  description:
    "Saves what was written in a copy as a revision, and waits for it. Saved is not accepted: pass revision_id to create_changeset.",
  hints: { isIdempotent: true },
  scopes: ["workspaces:write"],
  schemas: checkpointTool,
  run: async (args, { core, caller, signal }) => {
    const { workspace_id: workspaceId, copy_id, message, idempotency_key: idempotencyKey = null } = args;
    const body = { working_copy_id: copy_id, ...(message === undefined ? {} : { message }) };
    const begun = await requestCheckpoint(core, { caller, workspaceId, body, idempotencyKey });
    if (!begun.ok) return begun;
    const operationId = begun.value.id;
    const ended = await findOperation(core, { caller, workspaceId, operationId, waitMs: WAIT_MS, signal });
    if (!ended.ok) return refused(ended.refusal);
    const { status, result, error } = ended.value;
    const { revisionId, isUnchanged } = result;
    const structured = {
      ...{ operation_id: operationId, status },
      ...(revisionId === undefined ? {} : { revision_id: revisionId }),
      ...(isUnchanged === undefined ? {} : { unchanged: isUnchanged }),
      ...(error === null ? {} : { error: error.error }),
    };
    return ok({ ...answer(structured, lineOf(structured)), ...(error === null ? {} : { isError: true }) });
  },
});

function lineOf(saved: {
  readonly status: string;
  readonly revision_id?: string;
  readonly unchanged?: boolean;
  readonly error?: string;
}): string {
  if (saved.error !== undefined) return `It was not saved: ${saved.error}`;
  if (saved.revision_id === undefined) return `It is being saved (${saved.status}).`;
  return saved.unchanged === true
    ? `Nothing was changed since revision ${saved.revision_id}.`
    : `Saved as revision ${saved.revision_id}. It is not accepted yet: make a changeset of it.`;
}
