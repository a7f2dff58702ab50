// create_copy: a working copy of a revision.

import { ok, refused } from "../../../../../base/result.ts";
import { createCopyTool } from "../../../../../contract/mcp/workspace-tools.ts";
import { createCopy } from "../../../../core/workspaces/copies/create-copy.ts";
import { findCopy } from "../../../../core/workspaces/copies/read-copies.ts";
import { answer, defineTool } from "../../tool.ts";
import { copyLine, toToolCopy } from "../../workspace-answer.ts";

export const createCopyOfRevision = defineTool({
  name: "create_copy",
  title: "Make a working copy",
  description:
    "Makes a copy of the accepted files, or of another revision, to write in. What is written there becomes accepted only by a changeset.",
  hints: {},
  scopes: ["workspaces:write"],
  schemas: createCopyTool,
  run: async (args, { core, caller }) => {
    const { workspace_id: workspaceId, revision_id, idempotency_key: idempotencyKey = null } = args;
    const body = revision_id === undefined ? {} : { base_revision_id: revision_id };
    const made = await createCopy(core, { caller, workspaceId, body, idempotencyKey });
    if (!made.ok) return made;
    const { copyId = "" } = made.value.result;
    const found = await findCopy(core, { caller, workspaceId, copyId });
    if (!found.ok) return refused(found.refusal);
    const copy = toToolCopy(found.value);
    return ok(answer(copy, copyLine(copy)));
  },
});
