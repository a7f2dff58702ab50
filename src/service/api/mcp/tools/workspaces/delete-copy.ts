// delete_copy: a working copy with what was not saved of it.

import { ok } from "../../../../../base/result.ts";
import { deleteCopyTool } from "../../../../../contract/mcp/workspace-tools.ts";
import { deleteCopy } from "../../../../core/workspaces/copies/delete-copy.ts";
import { answer, defineTool } from "../../tool.ts";

export const deleteCopyById = defineTool({
  name: "delete_copy",
  title: "Delete a working copy",
  description:
    "Deletes a copy. What was not saved by checkpoint is lost; revisions that were made of it stay.",
  hints: { isDestructive: true, isIdempotent: true },
  scopes: ["workspaces:write"],
  schemas: deleteCopyTool,
  run: async ({ workspace_id: workspaceId, copy_id: copyId }, { core, caller }) => {
    const begun = await deleteCopy(core, { caller, workspaceId, copyId });
    if (!begun.ok) return begun;
    const state = begun.value.status === "succeeded" ? ("deleted" as const) : ("deleting" as const);
    return ok(answer({ copy_id: copyId, state }, `Copy ${copyId} is ${state}.`));
  },
});
